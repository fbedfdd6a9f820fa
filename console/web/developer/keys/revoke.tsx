import type { ListedKey } from '../../../src/responses.ts';
import { formatRelative } from '../../data/format.ts';
import { useAction } from '../../data/use-action.ts';
import { texts } from '../../texts/index.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Notice, Problem } from '../../ui/notice.tsx';
import { call } from '../api.ts';
import { nameOf } from './describe.ts';

const RECENT_MS = 86_400_000;

/** Asks before a key is revoked. */
export function RevokeDialog({
  revoked,
  onClose,
  onRevoked,
}: {
  revoked: ListedKey;
  onClose: () => void;
  onRevoked: () => Promise<void>;
}) {
  const text = texts.keyDialogs;
  const { key_id: id, last_used_at: usedAt } = revoked;
  const isUsed = usedAt !== null && Date.now() - Date.parse(usedAt) < RECENT_MS;
  const revoke = useAction(async () => {
    await call('DELETE keys/:id', { params: { id } });
    await onRevoked();
    announce(text.revoked(nameOf(revoked)));
    onClose();
  });
  return (
    <Dialog title={text.revokeTitle(nameOf(revoked))} onClose={onClose}>
      <p>{text.revokeText}</p>
      {isUsed && <Notice tone="warning">{text.usedRecently(formatRelative(usedAt))}</Notice>}
      <Problem message={revoke.problem} />
      <DialogActions>
        <Button onClick={onClose}>{texts.general.cancel}</Button>
        <Button kind="danger" onClick={revoke.run} isBusy={revoke.isRunning}>
          {text.revoke}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
