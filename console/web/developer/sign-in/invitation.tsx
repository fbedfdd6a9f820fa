import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../../data/api.ts';
import { useAction } from '../../data/use-action.ts';
import { useLoad } from '../../data/use-load.ts';
import { texts } from '../../texts/index.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card, Skeleton } from '../../ui/content.tsx';
import { Notice, Problem } from '../../ui/notice.tsx';
import { call } from '../api.ts';
import { Front } from './front.tsx';
import { PROVIDER_PATH } from './provider-path.ts';

const PREFIX = '#invite=';
/** Key under which the storage of the tab contains the token while the user signs in at the provider. */
const STORED = 'svc-asr-invitation';

/** Shows the invitation whose link the browser has opened. Shows the children if there is no invitation. */
export function InvitationGate({ children }: { children: ComponentChildren }) {
  const [token, setToken] = useState(takeInvitation);
  useEffect(() => {
    const open = () => setToken(takeInvitation());
    addEventListener('hashchange', open);
    return () => removeEventListener('hashchange', open);
  }, []);
  const leave = () => {
    sessionStorage.removeItem(STORED);
    setToken('');
  };
  return token === '' ? <>{children}</> : <InvitationPage token={token} leave={leave} />;
}

/** Asks the user to sign in, and then to accept the invitation. */
function InvitationPage({ token, leave }: { token: string; leave: () => void }) {
  const text = texts.invitation;
  const methods = useLoad('methods', () => call('GET sign-in'));
  const preview = useLoad('preview', () => call('POST invitations/preview', { body: { token } }));
  const session = useLoad('session', () => call('GET session').catch(() => null));
  const accept = useAction(async () => {
    await call('POST invitations/accept', { body: { token } });
    leave();
  });
  const isUser = session.data?.signed_in_by === 'oidc';
  const isLoading = methods.data === undefined || session.data === undefined || preview.isLoading;
  const hasProvider = methods.data?.oidc === true;
  const offer = preview.data;
  return (
    <Front title={text.title}>
      {isLoading && methods.error === undefined && <Skeleton lines={2} />}
      {methods.error !== undefined && <Problem message={texts.signIn.failedTitle} />}
      {!isLoading && (
        <Card>
          {!hasProvider && <Notice tone="warning">{text.noProvider}</Notice>}
          {offer !== undefined && <p>{text.offer(offer.invited_by, offer.tenant, texts.account.roles[offer.role])}</p>}
          {hasProvider && offer !== undefined && <p>{isUser ? text.text : text.signIn}</p>}
          <Problem message={preview.error === undefined ? accept.problem : messageOf(preview.error)} />
          <div class="actions-row">
            {isUser && offer !== undefined && (
              <Button kind="primary" onClick={accept.run} isBusy={accept.isRunning}>
                {text.accept}
              </Button>
            )}
            {!isUser && hasProvider && offer !== undefined && (
              <ButtonLink href={PROVIDER_PATH} kind="primary">
                {text.signInAction}
              </ButtonLink>
            )}
            <Button onClick={leave}>{text.decline}</Button>
          </div>
        </Card>
      )}
    </Front>
  );
}

/**
 * Moves the token of an invitation from the address to the storage of the tab, and returns it. The token must not stay
 * in the browser history.
 */
function takeInvitation(): string {
  if (location.hash.startsWith(PREFIX)) {
    sessionStorage.setItem(STORED, location.hash.slice(PREFIX.length));
    history.replaceState(null, '', '/');
  }
  return sessionStorage.getItem(STORED) ?? '';
}

/** Returns whether a fragment is an invitation. */
export function isInvitation(fragment: string): boolean {
  return `#${fragment}`.startsWith(PREFIX);
}
