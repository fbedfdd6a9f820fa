import { useCallback, useEffect, useState } from 'preact/hooks';
import type { OwnTenantView } from '../../src/responses.ts';
import { codeOf, messageOf } from '../data/api.ts';
import { navigate } from '../data/router.ts';
import { useInterval } from '../data/use-load.ts';
import { texts } from '../texts/index.ts';
import { LoadFailure } from '../ui/notice.tsx';
import type { AccountAccess } from './account-context.ts';
import { AccountContext } from './account-context.ts';
import { call, onSessionEnd } from './api.ts';
import { DeveloperShell } from './developer-shell.tsx';
import { Front, Loading } from './sign-in/front.tsx';
import { isInvitation } from './sign-in/invitation.tsx';
import { LinkDialog } from './sign-in/link-dialog.tsx';
import { PendingPage } from './sign-in/pending.tsx';
import { takeSignInProblem } from '../data/sign-in-problem.ts';
import { SwitchDialog } from './sign-in/switch-dialog.tsx';
import { Welcome } from './sign-in/welcome.tsx';

/** How often the page checks for the decision about an application, and for a changed balance. */
const REFRESH_MS = 10_000;

type State =
  | { readonly name: 'loading' }
  | { readonly name: 'signed-out'; readonly message: string; readonly isProblem: boolean }
  /** The user of an identity provider is not a member of any tenant. */
  | { readonly name: 'no-tenant' }
  | { readonly name: 'failed'; readonly error: unknown }
  /** The user opened a link of another tenant. */
  | { readonly name: 'switching'; readonly account: OwnTenantView; readonly token: string }
  | { readonly name: 'signed-in'; readonly account: OwnTenantView };

const SIGNED_OUT: State = { name: 'signed-out', message: '', isProblem: false };

export function App() {
  const [state, setState] = useState<State>({ name: 'loading' });
  const [link, setLink] = useState('');

  const load = useCallback(async () => {
    setState({ name: 'signed-in', account: await call('GET account') });
  }, []);
  const signIn = useCallback(
    async (token: string) => {
      await call('POST sign-in', { body: { token } });
      await load();
    },
    [load],
  );
  const start = useCallback(async () => {
    const token = takeToken();
    try {
      const account = await call('GET account').catch((error: unknown) => {
        if (token === '') throw error;
        return undefined;
      });
      if (token === '' || account?.name === tenantOf(token)) {
        if (account !== undefined) setState({ name: 'signed-in', account });
      } else if (account === undefined) await signIn(token);
      else setState({ name: 'switching', account, token });
    } catch (error) {
      setState(stateAfter(error));
    }
  }, [signIn]);

  useEffect(() => void start(), [start]);
  useEffect(() => {
    const open = () => {
      if (isToken(location.hash.slice(1))) void start();
    };
    addEventListener('hashchange', open);
    return () => removeEventListener('hashchange', open);
  }, [start]);
  useEffect(
    () =>
      onSessionEnd(() =>
        setState((before) =>
          before.name === 'signed-in' ? { name: 'signed-out', message: texts.signIn.ended, isProblem: false } : before,
        ),
      ),
    [],
  );
  useInterval(REFRESH_MS, () => {
    // A failed refresh keeps what is shown. The next one may succeed.
    if (state.name === 'signed-in') void load().catch(() => undefined);
  });

  const showLink = (token: string) => setLink(`${location.origin}/#${token}`);
  const leave = (message: string) => {
    navigate('/', { replace: true });
    setState({ name: 'signed-out', message, isProblem: false });
  };
  return (
    <>
      <Content state={state} access={{ reload: load, showLink, leave }} signIn={signIn} start={start} load={load} />
      {link !== '' && <LinkDialog link={link} onSaved={() => setLink('')} />}
    </>
  );
}

function Content({
  state,
  access,
  signIn,
  start,
  load,
}: {
  state: State;
  access: Omit<AccountAccess, 'account'>;
  signIn: (token: string) => Promise<void>;
  start: () => Promise<void>;
  load: () => Promise<void>;
}) {
  switch (state.name) {
    case 'loading':
      return <Loading />;
    case 'failed':
      return (
        <Front title={texts.signIn.failedTitle}>
          <LoadFailure error={state.error} onRetry={() => void start()} />
        </Front>
      );
    case 'signed-out':
      return (
        <Welcome
          message={state.message}
          isProblem={state.isProblem}
          isSignedIn={false}
          signIn={signIn}
          onJoined={access.showLink}
          load={load}
          leave={access.leave}
        />
      );
    case 'no-tenant':
      return (
        <Welcome
          message={texts.signIn.noTenant}
          isProblem={false}
          isSignedIn
          signIn={signIn}
          onJoined={access.showLink}
          load={load}
          leave={access.leave}
        />
      );
    case 'switching':
      return (
        <>
          <Front title={texts.signIn.title}>{null}</Front>
          <SwitchDialog
            current={state.account.display_name}
            next={tenantOf(state.token)}
            stay={load}
            change={() => signIn(state.token)}
          />
        </>
      );
    case 'signed-in': {
      const { account } = state;
      const isPending = account.state === 'Waitlisted' || account.state === 'Declined';
      return (
        <AccountContext.Provider value={{ ...access, account }}>
          {isPending ? <PendingPage /> : <DeveloperShell />}
        </AccountContext.Provider>
      );
    }
  }
}

/** Removes the token of a private link from the address, and returns it. It must not stay in the browser history. */
function takeToken(): string {
  const token = location.hash.slice(1);
  if (!isToken(token)) return '';
  history.replaceState(null, '', '/');
  return token;
}

/** Returns whether a fragment is a token. Other fragments point to a part of the page. */
function isToken(fragment: string): boolean {
  return fragment.includes('.') && !isInvitation(fragment);
}

function tenantOf(token: string): string {
  return token.split('.')[0] ?? '';
}

function stateAfter(error: unknown): State {
  const code = codeOf(error);
  if (code === 'not_signed_in') {
    const message = takeSignInProblem();
    return message === '' ? SIGNED_OUT : { name: 'signed-out', message, isProblem: true };
  }
  if (code === 'no_account') return { name: 'no-tenant' };
  if (code === 'invalid_link') return { name: 'signed-out', message: messageOf(error), isProblem: true };
  return { name: 'failed', error };
}
