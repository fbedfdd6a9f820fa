import type { MemberView } from '../../../src/responses.ts';
import { useAction } from '../../data/use-action.ts';
import { texts } from '../../texts/index.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/notice.tsx';
import { call } from '../api.ts';
import { nameOf } from './describe.ts';

/** Asks before a member is removed or an invitation is withdrawn. */
export function RemoveDialog({
  member,
  onClose,
  onRemoved,
}: {
  member: MemberView;
  onClose: () => void;
  onRemoved: () => Promise<void>;
}) {
  const text = texts.team;
  const isPending = member.invitation !== null;
  const params = { id: member.id };
  const remove = useAction(async () => {
    if (isPending) await call('DELETE invitations/:id', { params });
    else await call('DELETE members/:id', { params });
    await onRemoved();
    announce(isPending ? text.withdrawn : text.removed(nameOf(member)));
    onClose();
  });
  return (
    <Dialog title={isPending ? text.withdrawTitle : text.removeTitle(nameOf(member))} onClose={onClose}>
      <p>{isPending ? text.withdrawText : text.removeText}</p>
      <Problem message={remove.problem} />
      <DialogActions>
        <Button onClick={onClose}>{texts.general.cancel}</Button>
        <Button kind="danger" onClick={remove.run} isBusy={remove.isRunning}>
          {isPending ? text.withdraw : text.remove}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
