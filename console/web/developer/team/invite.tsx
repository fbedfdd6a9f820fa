import { useState } from 'preact/hooks';
import type { InvitationView, Role } from '../../../src/responses.ts';
import { useAction } from '../../data/use-action.ts';
import { texts } from '../../texts/index.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/notice.tsx';
import { call } from '../api.ts';
import { RoleField } from './role.tsx';

/** Creates an invitation. */
export function InviteDialog({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (created: InvitationView) => void;
}) {
  const text = texts.team;
  const [role, setRole] = useState<Role>('developer');
  const [email, setEmail] = useState('');
  const invite = useAction(async () => {
    const address = email.trim();
    onCreated(await call('POST invitations', { body: { role, ...(address !== '' && { email: address }) } }));
  });
  return (
    <Dialog title={text.inviteTitle} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          invite.run();
        }}
      >
        <TextField
          label={text.email}
          type="email"
          isOptional
          hint={text.emailHint}
          value={email}
          onChange={setEmail}
          maxLength={320}
          autofocus
        />
        <RoleField role={role} onChange={setRole} />
        <Problem message={invite.problem} />
        <DialogActions>
          <Button onClick={onClose}>{texts.general.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={invite.isRunning}>
            {text.create}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Shows the link of a new invitation, which the console cannot show again. */
export function InvitationLinkDialog({ created, onClose }: { created: InvitationView; onClose: () => void }) {
  const text = texts.team;
  return (
    <Dialog title={text.linkTitle} isDismissible={false}>
      <p>{text.linkText}</p>
      <CopyField label={text.linkLabel} value={`${location.origin}${created.path}`} autofocus />
      {created.mailed && <p class="hint">{text.mailed(created.email ?? '')}</p>}
      <DialogActions>
        <Button onClick={onClose}>{text.done}</Button>
      </DialogActions>
    </Dialog>
  );
}
