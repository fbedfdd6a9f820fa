import { useState } from 'preact/hooks';
import type { CreatedKey, ListedKey } from '../../../src/responses.ts';
import { useAction } from '../../data/use-action.ts';
import { texts } from '../../texts/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Problem } from '../../ui/notice.tsx';
import { call } from '../api.ts';
import { nameOf } from './describe.ts';

const DEFAULT_HOURS = '24';
const HOUR_MS = 3_600_000;
/** Stands for the expiry of a key that does not expire. */
const LATEST = '9999-12-31';

/**
 * Replaces a key by a new one. The old key works until the end of the overlap, or until its own expiry if that is
 * earlier.
 */
export function RotateDialog({
  old,
  onClose,
  onCreated,
}: {
  old: ListedKey;
  onClose: () => void;
  /** Called with the new key and the old key. `expires_at` of the old key contains its new expiry. */
  onCreated: (created: CreatedKey, old: ListedKey) => void;
}) {
  const text = texts.keyDialogs;
  const [hours, setHours] = useState(DEFAULT_HOURS);
  const rotate = useAction(async () => {
    const body = { overlap_hours: Number(hours) };
    const created = await call('POST keys/:id/rotate', { params: { id: old.key_id }, body });
    const endsAtMs = Math.min(Date.now() + body.overlap_hours * HOUR_MS, Date.parse(old.expires_at ?? LATEST));
    onCreated(created, { ...old, expires_at: new Date(endsAtMs).toISOString() });
  });
  return (
    <Dialog title={text.rotateTitle(nameOf(old))} onClose={onClose}>
      <p>{text.rotateText}</p>
      <SelectField
        label={text.overlap}
        hint={text.overlapHint}
        value={hours}
        onChange={setHours}
        choices={text.overlaps}
      />
      <Problem message={rotate.problem} />
      <DialogActions>
        <Button onClick={onClose}>{texts.general.cancel}</Button>
        <Button kind="primary" onClick={rotate.run} isBusy={rotate.isRunning}>
          {text.rotate}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
