import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { OwnTenantView } from '../../src/responses.ts';
import { codeOf, messageOf } from '../data/api.ts';
import { navigate } from '../data/router.ts';
import { takeSignInProblem } from '../data/sign-in-problem.ts';
import { useInterval } from '../data/use-load.ts';
import { texts } from '../texts/index.ts';
import { call, onSessionEnd, onTenantChange } from './api.ts';
import { isInvitation } from './sign-in/invitation.tsx';

/** Interval at which the page checks for the decision about an application and for a changed balance. */
const REFRESH_MS = 10_000;

export type State =
  | { readonly name: 'loading' }
  | { readonly name: 'signed-out'; readonly message: string; readonly isProblem: boolean }
  /** The user of an identity provider is not a member of any tenant. */
  | { readonly name: 'no-tenant' }
  | { readonly name: 'failed'; readonly error: unknown }
  /** The user opened a private link of a tenant other than that of the session. */
  | { readonly name: 'switching'; readonly account: OwnTenantView; readonly token: string }
  | {
      readonly name: 'signed-in';
      readonly account: OwnTenantView;
      /** True if the tenant changed without an action on this page, such as a switch in another tab. */
      readonly isSwitched: boolean;
    };

const SIGNED_OUT: State = { name: 'signed-out', message: '', isProblem: false };

/** The state of the page, and the functions that change it. */
export interface AppState {
  readonly state: State;
  /**
   * Signs in as the tenant of the private link in the address. Without a link, signs in as the tenant of the session.
   * If link and session have different tenants, asks the user first.
   */
  readonly start: () => Promise<void>;
  readonly signIn: (token: string) => Promise<void>;
  /** Reads the tenant of the session after an action on this page. */
  readonly load: () => Promise<void>;
  /** Shows the sign-in page with a message. */
  readonly leave: (message: string) => void;
}

export function useAppState(): AppState {
  const [state, setState] = useState<State>({ name: 'loading' });
  // Number of the newest request. The response to an earlier request is dropped. A sign-out also increases the number.
  const newest = useRef(0);

  const read = useCallback(async (isOwnAction: boolean) => {
    const attempt = ++newest.current;
    const account = await readAccount();
    if (attempt !== newest.current) return;
    setState((before) => {
      const isSame = before.name === 'signed-in' && before.account.name === account.name;
      const isSwitched = isSame ? before.isSwitched : before.name === 'signed-in' && !isOwnAction;
      return { name: 'signed-in', account, isSwitched };
    });
  }, []);
  const load = useCallback(() => read(true), [read]);
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
      const account = token === '' ? undefined : await call('GET account').catch(() => undefined);
      if (token === '' || account?.name === tenantOf(token)) await load();
      else if (account === undefined) await signIn(token);
      else setState({ name: 'switching', account, token });
    } catch (error) {
      setState(stateAfter(error));
    }
  }, [load, signIn]);
  /**
   * Reads the tenant without an action of the user. After a failure the page stays as it is, because the next attempt
   * may succeed. Another page appears only if the user has left all tenants, or if the session has ended.
   */
  const refresh = useCallback(async () => {
    try {
      await read(false);
    } catch (error) {
      if (codeOf(error) === 'no_account') setState({ name: 'no-tenant' });
    }
  }, [read]);

  useEffect(() => void start(), [start]);
  useEffect(() => {
    const open = () => {
      if (isToken(location.hash.slice(1))) void start();
    };
    addEventListener('hashchange', open);
    return () => removeEventListener('hashchange', open);
  }, [start]);
  useEffect(() => onSessionEnd(() => setState(signedOut)), []);
  useEffect(() => onTenantChange(() => void refresh()), [refresh]);
  useInterval(REFRESH_MS, () => {
    if (state.name === 'signed-in') void refresh();
  });

  const leave = (message: string) => {
    newest.current++;
    navigate('/', { replace: true });
    setState({ name: 'signed-out', message, isProblem: false });
  };
  return { state, start, signIn, load, leave };
}

/** Reads the tenant of the session. If the user is no longer a member of it, selects another tenant of the user. */
async function readAccount(): Promise<OwnTenantView> {
  try {
    return await call('GET account');
  } catch (error) {
    if (codeOf(error) !== 'no_account') throw error;
    const [first] = (await call('GET session')).tenants;
    if (first === undefined) throw error;
    await call('POST session/tenant', { body: { tenant: first.tenant } });
    return call('GET account');
  }
}

function signedOut(before: State): State {
  return before.name === 'signed-in' ? { name: 'signed-out', message: texts.signIn.ended, isProblem: false } : before;
}

/**
 * Removes the token of a private link from the address and returns it. The token must not stay in the browser history.
 */
function takeToken(): string {
  const token = location.hash.slice(1);
  if (!isToken(token)) return '';
  history.replaceState(null, '', '/');
  return token;
}

/** Returns whether a fragment is a token. Other fragments are invitations, or point to a part of the page. */
function isToken(fragment: string): boolean {
  return fragment.includes('.') && !isInvitation(fragment);
}

export function tenantOf(token: string): string {
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
