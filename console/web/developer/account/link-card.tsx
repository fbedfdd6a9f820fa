import { useState } from 'preact/hooks';
import { formatDate, formatRelative } from '../../data/format.ts';
import { useAction } from '../../data/use-action.ts';
import { texts } from '../../texts/index.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/content.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Notice, Problem } from '../../ui/notice.tsx';
import { useAccount } from '../account-context.ts';
import { call } from '../api.ts';

const SOON_MS = 14 * 86_400_000;

/** Shows when the private link expires, with buttons that replace and revoke it. */
export function LinkCard() {
  const { account } = useAccount();
  const [dialog, setDialog] = useState<'renew' | 'revoke' | undefined>();
  const text = texts.account;
  const expiresAt = account.link_expires_at ?? '';
  const isSoon = expiresAt !== '' && Date.parse(expiresAt) - Date.now() < SOON_MS;
  const close = () => setDialog(undefined);
  return (
    <Card title={text.link}>
      {isSoon && <Notice tone="warning">{text.linkSoon}</Notice>}
      {expiresAt !== '' && <p>{text.linkExpires(formatDate(expiresAt), formatRelative(expiresAt))}</p>}
      <p class="faint">{account.read_only ? text.linkReadOnly : text.linkText}</p>
      {account.role === 'owner' && !account.read_only && (
        <div class="actions-row">
          <Button onClick={() => setDialog('renew')}>{text.renew}</Button>
          <Button kind="danger" onClick={() => setDialog('revoke')}>
            {text.revoke}
          </Button>
        </div>
      )}
      {dialog === 'renew' && <RenewDialog onClose={close} />}
      {dialog === 'revoke' && <RevokeDialog onClose={close} />}
    </Card>
  );
}

function RenewDialog({ onClose }: { onClose: () => void }) {
  const { reload, showLink } = useAccount();
  const text = texts.account;
  const renew = useAction(async () => {
    const { token } = await call('POST link');
    onClose();
    showLink(token);
    await reload();
  });
  return (
    <Dialog title={text.renewTitle} onClose={onClose}>
      <p>{text.renewText}</p>
      <Problem message={renew.problem} />
      <DialogActions>
        <Button onClick={onClose}>{texts.general.cancel}</Button>
        <Button kind="primary" onClick={renew.run} isBusy={renew.isRunning}>
          {text.renew}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function RevokeDialog({ onClose }: { onClose: () => void }) {
  const { leave, reload } = useAccount();
  const text = texts.account;
  const revoke = useAction(async () => {
    const { signed_in_by: method } = await call('GET session');
    await call('DELETE link');
    onClose();
    // If the user signed in at an identity provider, the session does not depend on the link.
    if (method === 'link') leave(texts.signIn.revoked);
    else await reload();
  });
  return (
    <Dialog title={text.revokeTitle} onClose={onClose}>
      <p>{text.revokeText}</p>
      <Notice tone="warning">{text.revokeWarning}</Notice>
      <Problem message={revoke.problem} />
      <DialogActions>
        <Button onClick={onClose}>{texts.general.cancel}</Button>
        <Button kind="danger" onClick={revoke.run} isBusy={revoke.isRunning}>
          {text.revokeAction}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
