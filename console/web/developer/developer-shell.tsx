import { useState } from 'preact/hooks';
import { usePlace } from '../data/router.ts';
import { texts } from '../texts/index.ts';
import { Empty, Page } from '../ui/content.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import type { NavigationEntry } from '../ui/shell.tsx';
import { Shell } from '../ui/shell.tsx';
import { useAccount } from './account-context.ts';
import { Identity } from './identity.tsx';
import { findPage } from './pages.tsx';
import { SignOut } from './sign-in/sign-out.tsx';

/**
 * Shows the navigation for developers and the page at the current address. Render a separate instance for each tenant,
 * because the pages keep data of the tenant.
 */
export function DeveloperShell({
  isSwitched,
}: {
  /** True if the tenant changed without an action on this page. */
  isSwitched: boolean;
}) {
  const { account, leave } = useAccount();
  const { path } = usePlace();
  const [firstPath] = useState(path);
  const found = findPage(path);
  return (
    <Shell groups={entries()} identity={<Identity />} footer={<SignOut leave={leave} />}>
      {isSwitched && path === firstPath && (
        <div class="page">
          <Notice>{texts.account.switched(account.display_name)}</Notice>
        </div>
      )}
      {account.state === 'Suspended' && (
        <div class="page">
          <Notice tone="danger" title={texts.states.suspendedTitle}>
            {texts.states.suspendedText}
          </Notice>
        </div>
      )}
      {found === undefined ? <NotFound /> : <found.Page key={path} params={found.params} />}
    </Shell>
  );
}

function entries(): NavigationEntry[][] {
  const text = texts.navigation;
  return [
    [
      { href: '/', text: text.overview, icon: 'overview' },
      { href: '/playground', text: text.playground, icon: 'playground' },
      { href: '/keys', text: text.keys, icon: 'key' },
      { href: '/usage', text: text.usage, icon: 'usage' },
      { href: '/sessions', text: text.sessions, icon: 'sessions' },
    ],
    [
      { href: '/quick-start', text: text.quickStart, icon: 'quickStart' },
      { href: '/team', text: text.team, icon: 'team' },
      { href: '/account', text: text.account, icon: 'account' },
      { href: '/docs', text: text.documentation, icon: 'documentation', isExternal: true },
    ],
  ];
}

function NotFound() {
  return (
    <Page title={texts.general.notFound}>
      <Empty title={texts.general.notFoundText} action={<ButtonLink href="/">{texts.general.toOverview}</ButtonLink>} />
    </Page>
  );
}
