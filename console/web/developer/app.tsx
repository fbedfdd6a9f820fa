import { useLayoutEffect, useState } from 'preact/hooks';
import type { CreatedKey, ListedKey } from '../../src/responses.ts';
import { texts } from '../texts/index.ts';
import { LoadFailure } from '../ui/notice.tsx';
import type { AccountAccess } from './account-context.ts';
import { AccountContext } from './account-context.ts';
import { showTenant } from './api.ts';
import { tenantOf, useAppState } from './app-state.ts';
import type { State } from './app-state.ts';
import { DeveloperShell } from './developer-shell.tsx';
import { NewKeyDialog } from './keys/new-key.tsx';
import { Front, Loading } from './sign-in/front.tsx';
import { LinkDialog } from './sign-in/link-dialog.tsx';
import { PendingPage } from './sign-in/pending.tsx';
import { SwitchDialog } from './sign-in/switch-dialog.tsx';
import { Welcome } from './sign-in/welcome.tsx';

export function App() {
  const { state, start, signIn, load, leave } = useAppState();
  const [link, setLink] = useState('');
  const [key, setKey] = useState<{ readonly created: CreatedKey; readonly old: ListedKey | undefined }>();
  const shownTenant = state.name === 'signed-in' ? state.account.name : '';
  // A layout effect runs before the normal effects in which the pages send requests.
  useLayoutEffect(() => showTenant(shownTenant), [shownTenant]);

  const showLink = (token: string) => setLink(`${location.origin}/#${token}`);
  const showKey = (created: CreatedKey, old?: ListedKey) => setKey({ created, old });
  const access = { reload: load, showLink, showKey, leave };
  // The dialogs are outside the content, so that neither Back nor a sign-out in another tab hides an unsaved secret.
  return (
    <>
      <Content state={state} access={access} signIn={signIn} start={start} load={load} />
      {link !== '' && <LinkDialog link={link} onSaved={() => setLink('')} />}
      {key !== undefined && <NewKeyDialog {...key} onSaved={() => setKey(undefined)} />}
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
      const { account, isSwitched } = state;
      const isPending = account.state === 'Waitlisted' || account.state === 'Declined';
      return (
        <AccountContext.Provider value={{ ...access, account }}>
          {isPending ? (
            <PendingPage key={account.name} />
          ) : (
            <DeveloperShell key={account.name} isSwitched={isSwitched} />
          )}
        </AccountContext.Provider>
      );
    }
  }
}
