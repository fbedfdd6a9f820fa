import { useState } from 'preact/hooks';
import type { AdminTenantView } from '../../../src/responses/administration.ts';
import { formatAudio, formatRelative } from '../../data/format.ts';
import { useAction } from '../../data/use-action.ts';
import { adminTexts } from '../../texts/admin.ts';
import { texts } from '../../texts/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice, Problem } from '../../ui/notice.tsx';
import { call } from '../api.ts';
import { minutesOf, problemOfMinutes, secondsOf } from '../minutes.ts';

/** Grants credit to a tenant, or removes credit if the amount is negative. */
export function GrantDialog({
  tenant: { name, spec, credit_request: request },
  onClose,
  onGranted,
}: {
  tenant: AdminTenantView;
  onClose: () => void;
  onGranted: (message: string) => void;
}) {
  const text = adminTexts.grants;
  const requested = request?.audio_seconds ?? null;
  const [minutes, setMinutes] = useState(requested === null ? '' : minutesOf(requested));
  const [problem, setProblem] = useState<string>();
  const [note, setNote] = useState('');
  // The id stays the same for all attempts of this dialog. A retry after a lost response then does not grant the credit
  // twice.
  const [id] = useState(() => crypto.randomUUID());
  const grant = useAction(async () => {
    const found = problemOfMinutes(minutes);
    setProblem(found);
    if (found !== undefined) return;
    const seconds = secondsOf(minutes);
    const body = { id, audio_seconds: seconds, ...(note.trim() !== '' && { note: note.trim() }) };
    await call('POST tenants/:name/grants', { params: { name }, body });
    const amount = formatAudio(Math.abs(seconds) * 1000);
    onGranted(seconds < 0 ? text.removed(amount, spec.displayName) : text.granted(amount, spec.displayName));
  });
  return (
    <Dialog title={text.dialogTitle(spec.displayName)} onClose={onClose}>
      {request !== null && (
        <Notice title={text.requested(formatRelative(request.at))}>
          <p class="wrap">{request.message}</p>
        </Notice>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          grant.run();
        }}
      >
        <TextField
          type="number"
          step="any"
          label={text.minutes}
          hint={text.minutesHint}
          {...(problem !== undefined && { problem })}
          value={minutes}
          onChange={setMinutes}
          required
          autofocus
        />
        <TextField label={text.note} hint={text.noteHint} isOptional value={note} onChange={setNote} maxLength={500} />
        <Problem message={grant.problem} />
        <DialogActions>
          <Button onClick={onClose}>{texts.general.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={grant.isRunning}>
            {text.grant}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
