import { useCallback, useEffect, useState } from 'preact/hooks';
import type { AdminSessionView } from '../../src/responses.ts';
import { codeOf } from '../data/api.ts';
import { adminTexts } from '../texts/admin.ts';
import { Skeleton } from '../ui/content.tsx';
import { LoadFailure } from '../ui/notice.tsx';
import { AdminShell } from './admin-shell.tsx';
import { call, onSessionEnd } from './api.ts';
import { Front } from './front.tsx';
import { SignInPage } from './sign-in.tsx';

type State =
  | { readonly name: 'loading' }
  | { readonly name: 'signed-out'; readonly message: string }
  | { readonly name: 'failed'; readonly error: unknown }
  | { readonly name: 'signed-in'; readonly session: AdminSessionView };

/** The page for administrators. */
export function App() {
  const text = adminTexts.common;
  const [state, setState] = useState<State>({ name: 'loading' });
  const start = useCallback(async () => {
    try {
      setState({ name: 'signed-in', session: await call('GET session') });
    } catch (error) {
      setState(codeOf(error) === 'not_signed_in' ? { name: 'signed-out', message: '' } : { name: 'failed', error });
    }
  }, []);
  useEffect(() => void start(), [start]);
  useEffect(
    () =>
      onSessionEnd(() =>
        setState((before) => (before.name === 'signed-in' ? { name: 'signed-out', message: text.ended } : before)),
      ),
    [text],
  );
  switch (state.name) {
    case 'loading':
      return (
        <Front title={text.loading}>
          <Skeleton lines={4} />
        </Front>
      );
    case 'failed':
      return (
        <Front title={text.failed}>
          <LoadFailure error={state.error} onRetry={() => void start()} />
        </Front>
      );
    case 'signed-out':
      return <SignInPage message={state.message} onSignedIn={(session) => setState({ name: 'signed-in', session })} />;
    case 'signed-in':
      return (
        <AdminShell
          session={state.session}
          onSignedOut={() => setState({ name: 'signed-out', message: text.signedOut })}
        />
      );
  }
}
