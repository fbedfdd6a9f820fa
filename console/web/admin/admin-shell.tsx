import { useState } from 'preact/hooks';
import type { AdminSessionView } from '../../src/responses.ts';
import { usePlace } from '../data/router.ts';
import { useAction } from '../data/use-action.ts';
import { adminTexts } from '../texts/admin.ts';
import { texts } from '../texts/index.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Badge, Empty, Page } from '../ui/content.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { Problem } from '../ui/notice.tsx';
import type { NavigationEntry } from '../ui/shell.tsx';
import { Shell } from '../ui/shell.tsx';
import { call } from './api.ts';
import { findPage } from './pages.tsx';
import { MayChange, useMayChange } from './rights.ts';

/** Shows the navigation for administrators and the page at the current address. */
export function AdminShell({ session, onSignedOut }: { session: AdminSessionView; onSignedOut: () => void }) {
  const { path } = usePlace();
  const found = findPage(path);
  const text = adminTexts.common;
  return (
    <MayChange.Provider value={session.role === 'administrator'}>
      <Shell
        brand={text.product}
        groups={entries()}
        identity={
          <>
            <p class="identity-name">{session.name ?? text.tokenHolder}</p>
            <Badge tone="accent">{text[session.role]}</Badge>
          </>
        }
        footer={<SignOut onSignedOut={onSignedOut} />}
      >
        {found === undefined ? <NotFound /> : <found.Page key={path} params={found.params} />}
      </Shell>
    </MayChange.Provider>
  );
}

function entries(): NavigationEntry[][] {
  const text = adminTexts.common;
  return [
    [
      { href: '/', text: text.applications, icon: 'inbox' },
      { href: '/tenants', text: text.tenants, icon: 'people' },
      { href: '/credit-requests', text: text.creditRequests, icon: 'credit' },
    ],
    [
      { href: '/models', text: text.models, icon: 'layers' },
      { href: '/health', text: text.health, icon: 'sessions' },
      { href: '/audit', text: text.audit, icon: 'list' },
    ],
  ];
}

function SignOut({ onSignedOut }: { onSignedOut: () => void }) {
  const text = adminTexts.common;
  const [isAsking, setAsking] = useState(false);
  const mayChange = useMayChange();
  const signOut = useAction(async () => {
    await call('DELETE sign-in');
    onSignedOut();
  });
  return (
    <>
      <Problem message={signOut.problem} />
      <Button kind="quiet" icon="signOut" onClick={signOut.run} isBusy={signOut.isRunning}>
        {text.signOut}
      </Button>
      {mayChange && (
        <Button kind="quiet" icon="people" onClick={() => setAsking(true)}>
          {text.signOutAll}
        </Button>
      )}
      {isAsking && (
        <ConfirmDialog
          title={text.signOutAllTitle}
          text={text.signOutAllText}
          action={text.signOutAll}
          onClose={() => setAsking(false)}
          act={async () => {
            await call('DELETE sessions');
            onSignedOut();
          }}
        />
      )}
    </>
  );
}

function NotFound() {
  return (
    <Page title={texts.general.notFound}>
      <Empty
        title={texts.general.notFoundText}
        action={<ButtonLink href="/">{adminTexts.common.applications}</ButtonLink>}
      />
    </Page>
  );
}
