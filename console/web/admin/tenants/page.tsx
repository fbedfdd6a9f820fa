import { useState } from 'preact/hooks';
import type { AdminTenantView } from '../../../src/responses/administration.ts';
import { formatDate, formatNumber } from '../../data/format.ts';
import { navigate, usePlace } from '../../data/router.ts';
import { useLoad } from '../../data/use-load.ts';
import { adminTexts } from '../../texts/admin.ts';
import { texts } from '../../texts/index.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Badge, Card, Empty, Page, Skeleton } from '../../ui/content.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { LoadFailure, Notice } from '../../ui/notice.tsx';
import { Table } from '../../ui/table.tsx';
import { call } from '../api.ts';
import { StateBadge } from './state-badge.tsx';

/** All tenants, with a search that is part of the address. */
export function TenantsPage() {
  const text = adminTexts.tenants;
  const { query } = usePlace();
  const wanted = { search: query.get('search') ?? '', state: query.get('state') ?? '' };
  const tenants = useLoad(JSON.stringify(wanted), () => call('GET tenants', { query: wanted }));
  const found = tenants.data?.data;
  const unreadable = tenants.data?.unreadable ?? [];
  const isFiltered = wanted.search !== '' || wanted.state !== '';
  return (
    <Page title={text.title} lead={text.lead}>
      <Search wanted={wanted} />
      {unreadable.length > 0 && (
        <Notice tone="warning" title={text.unreadable}>
          {unreadable.map(({ file, problem }) => (
            <p key={file}>
              <code>{file}</code> {problem}
            </p>
          ))}
        </Notice>
      )}
      {tenants.error !== undefined && <LoadFailure error={tenants.error} onRetry={() => void tenants.reload()} />}
      {tenants.error === undefined && (
        <Card isFlush>
          {found === undefined && <Skeleton lines={5} />}
          {found?.length === 0 && (
            <Empty
              title={isFiltered ? text.noMatch : text.empty}
              {...(!isFiltered && { text: text.emptyText })}
              action={isFiltered && <ButtonLink href="/tenants">{text.clear}</ButtonLink>}
            />
          )}
          {found !== undefined && found.length > 0 && <TenantTable tenants={found} />}
        </Card>
      )}
    </Page>
  );
}

function Search({ wanted }: { wanted: { search: string; state: string } }) {
  const text = adminTexts.tenants;
  const [search, setSearch] = useState(wanted.search);
  const show = (changed: { search?: string; state?: string }) => {
    const entries = Object.entries({ ...wanted, search: search.trim(), ...changed }).filter(
      ([, value]) => value !== '',
    );
    const address = new URLSearchParams(entries).toString();
    navigate(address === '' ? '/tenants' : `/tenants?${address}`, { replace: true });
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
      <TextField label={text.searchLabel} value={search} onChange={setSearch} maxLength={200} />
      <SelectField
        label={text.state}
        value={wanted.state}
        onChange={(state) => show({ state })}
        choices={[['', text.allStates], ...Object.entries(texts.account.states)]}
      />
      <Button type="submit">{text.find}</Button>
    </form>
  );
}

function TenantTable({ tenants }: { tenants: readonly AdminTenantView[] }) {
  const text = adminTexts.tenants;
  return (
    <Table
      caption={text.title}
      rows={tenants}
      keyOf={({ name }) => name}
      columns={[
        {
          label: text.name,
          cell: ({ name, spec, read_only: isReadOnly }) => (
            <>
              <a class="strong" href={`/tenants/${encodeURIComponent(name)}`}>
                {spec.displayName}
              </a>
              <code class="faint small block">{name}</code>
              {isReadOnly && <Badge>{text.readOnly}</Badge>}
            </>
          ),
        },
        { label: text.state, cell: ({ spec }) => <StateBadge state={spec.state} /> },
        { label: text.contact, cell: ({ spec }) => spec.contact?.email ?? spec.contact?.name ?? '–' },
        { label: text.models, cell: ({ spec }) => describeModels(spec.models) },
        { label: text.limit, kind: 'number', cell: ({ spec }) => formatNumber(spec.limits.concurrentSessions) },
        { label: text.created, cell: ({ created_at: at }) => (at === null ? '–' : formatDate(at)) },
      ]}
    />
  );
}

/** Returns the models of a tenant as text. */
export function describeModels(models: readonly string[]): string {
  return models.includes('*') ? adminTexts.common.unlimited : models.join(', ') || texts.general.none;
}
