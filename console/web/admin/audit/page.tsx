import { useState } from 'preact/hooks';
import type { AuditEntryView } from '../../../src/responses.ts';
import { formatPreciseTime } from '../../data/format.ts';
import { navigate, usePlace } from '../../data/router.ts';
import { usePages } from '../../data/use-pages.ts';
import { adminTexts } from '../../texts/admin.ts';
import { Button } from '../../ui/button.tsx';
import { Badge, Card, Empty, Page, Skeleton } from '../../ui/content.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { LoadFailure, Problem } from '../../ui/notice.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { Table } from '../../ui/table.tsx';
import { call } from '../api.ts';

type Filter = Readonly<{ tenant: string; action: string }>;

/** The audit log, with a filter that is part of the address. */
export function AuditPage() {
  const text = adminTexts.audit;
  const { query } = usePlace();
  const filter: Filter = { tenant: query.get('tenant') ?? '', action: query.get('action') ?? '' };
  return (
    <Page title={text.title} lead={text.lead}>
      <Filters filter={filter} />
      <Entries filter={filter} />
    </Page>
  );
}

function Filters({ filter }: { filter: Filter }) {
  const text = adminTexts.audit;
  const [tenant, setTenant] = useState(filter.tenant);
  const show = (changed: Partial<Filter>) => {
    const entries = Object.entries({ ...filter, tenant: tenant.trim(), ...changed }).filter(
      ([, value]) => value !== '',
    );
    const address = new URLSearchParams(entries).toString();
    navigate(address === '' ? '/audit' : `/audit?${address}`, { replace: true });
  };
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        show({});
      }}
    >
      <TextField label={text.tenant} value={tenant} onChange={setTenant} isMono maxLength={63} />
      <SelectField
        label={text.action}
        value={filter.action}
        onChange={(action) => show({ action })}
        choices={[['', text.all], ...Object.entries(text.actions)]}
      />
      <Button type="submit">{text.filter}</Button>
    </form>
  );
}

function Entries({ filter }: { filter: Filter }) {
  const text = adminTexts.audit;
  const filterKey = JSON.stringify(filter);
  const { first, rows, hasMore, more } = usePages(filterKey, (before) =>
    call('GET audit', { query: { ...filter, before } }),
  );
  if (first.data === undefined && first.error !== undefined) {
    return <LoadFailure error={first.error} onRetry={() => void first.reload()} />;
  }
  const isFiltered = filter.tenant !== '' || filter.action !== '';
  return (
    <Card isFlush>
      {first.data === undefined && <Skeleton lines={6} />}
      {first.data !== undefined && rows.length === 0 && <Empty title={isFiltered ? text.noMatch : text.empty} />}
      {rows.length > 0 && <EntryTable entries={rows} />}
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

function EntryTable({ entries }: { entries: readonly AuditEntryView[] }) {
  const text = adminTexts.audit;
  return (
    <Table
      caption={text.title}
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        { label: text.time, cell: ({ at }) => formatPreciseTime(at) },
        {
          label: text.action,
          cell: ({ action, detail }) => (
            <>
              {text.actions[action] ?? action}
              {detail.failed === true && <Badge tone="bad">{text.failed}</Badge>}
            </>
          ),
        },
        { label: text.target, cell: (entry) => <Target entry={entry} /> },
        { label: text.actor, cell: ({ actor, actor_name: name }) => name ?? text.actors[actor] ?? actor },
        {
          label: text.details,
          cell: ({ detail, request_id: requestId }) => (
            <>
              {describeDetail(detail)}
              <span class="faint small block mono anywhere">{requestId}</span>
            </>
          ),
        },
      ]}
    />
  );
}

function Target({ entry: { target, tenant } }: { entry: AuditEntryView }) {
  if (tenant === null) return <code>{target}</code>;
  const isTenant = target === `tenant/${tenant}`;
  return (
    <>
      <a href={`/tenants/${encodeURIComponent(tenant)}`}>{tenant}</a>
      {!isTenant && <code class="faint small block">{target}</code>}
    </>
  );
}

/** Returns the details of an audit entry as text, without the field `failed`. */
function describeDetail(detail: AuditEntryView['detail']): string {
  return Object.entries(detail)
    .filter(([name]) => name !== 'failed')
    .map(
      ([name, value]) => `${name.replaceAll('_', ' ')}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    .join(', ');
}
