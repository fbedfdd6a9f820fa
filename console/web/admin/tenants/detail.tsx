import type { AdminTenantView } from '../../../src/responses/administration.ts';
import { codeOf } from '../../data/api.ts';
import { navigate, usePlace } from '../../data/router.ts';
import { useLoad } from '../../data/use-load.ts';
import { adminTexts } from '../../texts/admin.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Card, Empty, Page, Skeleton } from '../../ui/content.tsx';
import { LoadFailure, Notice } from '../../ui/notice.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { call } from '../api.ts';
import type { PageParams } from '../page-params.ts';
import { useMayChange } from '../rights.ts';
import { AccessTab } from './access-tab.tsx';
import { GrantsTab } from './grants-tab.tsx';
import { LimitsTab } from './limits-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { StateBadge } from './state-badge.tsx';
import type { TabProps } from './tab-props.ts';
import { KeysTab, RefusalsTab, SessionsTab, UsageTab } from './view-tabs.tsx';

const TABS = ['overview', 'keys', 'usage', 'sessions', 'refusals', 'limits', 'grants', 'access'] as const;
type Tab = (typeof TABS)[number];

/** One tenant. The selected tab is part of the address. */
export function TenantPage({ params }: { params: PageParams }) {
  const { name = '' } = params;
  const { query } = usePlace();
  const wanted = query.get('tab');
  const mayChange = useMayChange();
  const tabs = TABS.filter((each) => mayChange || each !== 'access');
  const tab: Tab = tabs.find((each) => each === wanted) ?? 'overview';
  const loaded = useLoad(name, () => call('GET tenants/:name', { params: { name } }));
  const tenant = loaded.data;
  const text = adminTexts.tenant;
  const isUnknown = codeOf(loaded.error) === 'tenant_not_found';
  return (
    <Page title={tenant?.spec.displayName ?? name} lead={tenant && <Lead tenant={tenant} />}>
      {isUnknown && (
        <Card isFlush>
          <Empty title={text.unknown} action={<ButtonLink href="/tenants">{adminTexts.purge.toTenants}</ButtonLink>} />
        </Card>
      )}
      {loaded.error !== undefined && !isUnknown && (
        <LoadFailure error={loaded.error} onRetry={() => void loaded.reload()} />
      )}
      {tenant === undefined && loaded.error === undefined && <Skeleton lines={5} />}
      {tenant !== undefined && (
        <>
          {!tenant.ledger_available && <Notice tone="warning">{adminTexts.common.redisUnavailable}</Notice>}
          <Tabs
            label={text.tabsLabel}
            tabs={tabs.map((each) => [each, text.tabs[each]] as const)}
            selected={tab}
            onSelect={(each) => navigate(`/tenants/${encodeURIComponent(name)}?tab=${each}`, { replace: true })}
          >
            <Content tab={tab} tenant={tenant} reload={loaded.reload} />
          </Tabs>
        </>
      )}
    </Page>
  );
}

function Lead({ tenant: { name, spec } }: { tenant: AdminTenantView }) {
  return (
    <>
      <StateBadge state={spec.state} /> <code>{name}</code>
    </>
  );
}

function Content({ tab, tenant, reload }: TabProps & { tab: Tab }) {
  switch (tab) {
    case 'overview':
      return <OverviewTab tenant={tenant} />;
    case 'keys':
      return <KeysTab name={tenant.name} />;
    case 'usage':
      return <UsageTab name={tenant.name} />;
    case 'sessions':
      return <SessionsTab name={tenant.name} />;
    case 'refusals':
      return <RefusalsTab name={tenant.name} />;
    case 'limits':
      return <LimitsTab tenant={tenant} reload={reload} />;
    case 'grants':
      return <GrantsTab tenant={tenant} reload={reload} />;
    case 'access':
      return <AccessTab tenant={tenant} reload={reload} />;
  }
}
