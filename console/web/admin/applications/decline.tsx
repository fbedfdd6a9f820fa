import { useState } from 'preact/hooks';
import type { AdminTenantView } from '../../../src/responses/administration.ts';
import { useAction } from '../../data/use-action.ts';
import { adminTexts } from '../../texts/admin.ts';
import { texts } from '../../texts/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Problem } from '../../ui/notice.tsx';
import { call } from '../api.ts';
import type { Decided } from './decided.tsx';

/** Declines an application. The administrator enters the reason, which the developer sees. */
export function DeclineDialog({
  tenant: { name, spec },
  onClose,
  onDeclined,
}: {
  tenant: AdminTenantView;
  onClose: () => void;
  onDeclined: (decided: Decided) => void;
}) {
  const text = adminTexts.applications;
  const [reason, setReason] = useState('');
  const decline = useAction(async () => {
    const mail = await call('POST applications/:name/decline', { params: { name }, body: { reason: reason.trim() } });
    onDeclined({ message: text.declined(spec.displayName), mail });
  });
  return (
    <Dialog title={text.declineTitle(spec.displayName)} onClose={onClose}>
      <p>{text.declineText}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          decline.run();
        }}
      >
        <TextArea
          label={text.reason}
          hint={text.reasonHint}
          isOptional
          value={reason}
          onChange={setReason}
          maxLength={1000}
        />
        <Problem message={decline.problem} />
        <DialogActions>
          <Button onClick={onClose}>{texts.general.cancel}</Button>
          <Button type="submit" kind="danger" isBusy={decline.isRunning}>
            {text.decline}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
