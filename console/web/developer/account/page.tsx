import { formatDate, formatNumber } from '../../data/format.ts';
import { useLoad } from '../../data/use-load.ts';
import { texts } from '../../texts/index.ts';
import { Card, Empty, Facts, Page, Skeleton } from '../../ui/content.tsx';
import { LoadFailure } from '../../ui/notice.tsx';
import { Table } from '../../ui/table.tsx';
import { useAccount } from '../account-context.ts';
import { call } from '../api.ts';
import { LinkCard } from './link-card.tsx';
import { SessionCard } from './session-card.tsx';

/** The account page: name and role, private link, limits and models. */
export function AccountPage() {
  const { account } = useAccount();
  const text = texts.account;
  const { limits, contact, created_at: createdAt } = account;
  return (
    <Page title={text.title}>
      <Card title={text.details}>
        <Facts
          items={[
            [text.name, account.display_name],
            [text.id, <code key="id">{account.name}</code>],
            [text.state, text.states[account.state]],
            [text.role, text.roles[account.role]],
            ...(createdAt === null ? [] : [[text.created, formatDate(createdAt)] as const]),
            ...(contact?.email === undefined ? [] : [[text.contact, contact.email] as const]),
          ]}
        />
      </Card>
      <SessionCard />
      <LinkCard />
      <Card title={text.limits}>
        <Facts
          items={[
            [text.concurrent, formatNumber(limits.concurrent_sessions)],
            [text.sessionRate, formatNumber(limits.sessions_per_minute)],
            [text.requestRate, formatNumber(limits.requests_per_minute)],
          ]}
        />
      </Card>
      <Models />
    </Page>
  );
}

function Models() {
  const text = texts.account;
  const models = useLoad('models', () => call('GET models'));
  return (
    <Card title={text.models} isFlush>
      {models.error !== undefined && <LoadFailure error={models.error} onRetry={() => void models.reload()} />}
      {models.data === undefined && models.error === undefined && <Skeleton lines={2} />}
      {models.data?.data.length === 0 && <Empty title={text.noModels} />}
      {models.data !== undefined && models.data.data.length > 0 && (
        <Table
          caption={text.models}
          rows={models.data.data}
          keyOf={({ id }) => id}
          columns={[
            { label: text.modelId, cell: ({ id }) => <code>{id}</code> },
            { label: text.language, cell: ({ language }) => language },
          ]}
        />
      )}
    </Card>
  );
}
