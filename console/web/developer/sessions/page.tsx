import type { ListedKey } from '../../../src/responses.ts';
import { navigate, usePlace } from '../../data/router.ts';
import { useLoad } from '../../data/use-load.ts';
import { usePages } from '../../data/use-pages.ts';
import { texts } from '../../texts/index.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Card, Empty, Page, Skeleton } from '../../ui/content.tsx';
import { SelectField } from '../../ui/field.tsx';
import { LoadFailure, Problem } from '../../ui/notice.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { call } from '../api.ts';
import { nameOf } from '../keys/describe.ts';
import { SessionTable } from './session-table.tsx';
import { SessionTabs } from './tabs.tsx';

const PAGE_ROWS = 25;
const FILTERS = ['state', 'model', 'key_id', 'end_reason'] as const;
type Filter = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>;

/** The sessions of the account, with a filter that is part of the address. */
export function SessionsPage() {
  const { query } = usePlace();
  const text = texts.sessions;
  const filter: Filter = Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = query.get(name) ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );
  const keys = useLoad('keys', () => call('GET keys'));
  return (
    <Page title={text.title} lead={text.lead}>
      <SessionTabs current="sessions" />
      <Filters filter={filter} keys={keys.data?.data ?? []} />
      <SessionList filter={filter} keys={keys.data?.data ?? []} />
    </Page>
  );
}

function Filters({ filter, keys }: { filter: Filter; keys: readonly ListedKey[] }) {
  const text = texts.sessions;
  const models = useLoad('models', () => call('GET models'));
  const set = (name: (typeof FILTERS)[number], value: string) => {
    const entries = Object.entries({ ...filter, [name]: value }).filter(([, each]) => each !== '');
    const query = new URLSearchParams(entries).toString();
    navigate(query === '' ? '/sessions' : `/sessions?${query}`, { replace: true });
  };
  const all = ['', text.all] as const;
  const choicesOf = {
    state: Object.entries(text.states),
    model: (models.data?.data ?? []).map(({ id }) => [id, id] as const),
    key_id: keys.map((key) => [key.key_id, nameOf(key)] as const),
    end_reason: Object.entries(text.endReasons),
  };
  const labels = { state: text.status, model: text.model, key_id: text.key, end_reason: text.endReason };
  return (
    <div class="filters">
      {FILTERS.map((name) => (
        <SelectField
          key={name}
          label={labels[name]}
          value={filter[name] ?? ''}
          onChange={(value) => set(name, value)}
          choices={[all, ...choicesOf[name]]}
        />
      ))}
    </div>
  );
}

function SessionList({ filter, keys }: { filter: Filter; keys: readonly ListedKey[] }) {
  const text = texts.sessions;
  const filterKey = JSON.stringify(filter);
  const { first, rows, hasMore, more } = usePages(filterKey, (before) =>
    call('GET sessions', { query: { ...filter, limit: PAGE_ROWS, before } }),
  );
  if (first.data === undefined && first.error !== undefined) {
    return <LoadFailure error={first.error} onRetry={() => void first.reload()} />;
  }
  return (
    <Card isFlush>
      {first.data === undefined && <Skeleton lines={6} />}
      {first.data !== undefined && rows.length === 0 && <NoSessions isFiltered={Object.keys(filter).length > 0} />}
      {rows.length > 0 && <SessionTable caption={text.title} sessions={rows} keys={keys} />}
      <Problem message={more.problem} />
      <ShowMore
        key={filterKey}
        text={text.more}
        end={text.noMore}
        hasMore={hasMore}
        isBusy={more.isRunning}
        onMore={more.run}
      />
    </Card>
  );
}

function NoSessions({ isFiltered }: { isFiltered: boolean }) {
  const text = texts.sessions;
  if (isFiltered) {
    return <Empty title={text.noMatch} action={<ButtonLink href="/sessions">{text.clearFilter}</ButtonLink>} />;
  }
  return (
    <Empty
      title={text.empty}
      text={text.emptyText}
      action={<ButtonLink href="/quick-start">{texts.overview.toQuickStart}</ButtonLink>}
    />
  );
}
