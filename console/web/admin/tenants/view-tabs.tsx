import type { ComponentChildren } from 'preact';
import type { Loaded } from '../../data/use-load.ts';
import {
  formatAudio,
  formatDateTime,
  formatDay,
  formatExactAudio,
  formatNumber,
  formatPreciseTime,
  formatRelative,
} from '../../data/format.ts';
import { useLoad } from '../../data/use-load.ts';
import { keyLabel } from '../../developer/keys/describe.ts';
import { endText, stateText, stateTone } from '../../developer/sessions/describe.ts';
import { adminTexts } from '../../texts/admin.ts';
import { texts } from '../../texts/index.ts';
import { Badge, Card, Empty, Skeleton } from '../../ui/content.tsx';
import { LoadFailure } from '../../ui/notice.tsx';
import type { Column } from '../../ui/table.tsx';
import { Table } from '../../ui/table.tsx';
import { call } from '../api.ts';

/** A table with data that the developers of the tenant can see too. */
function View<Row>({
  loaded,
  caption,
  empty,
  keyOf,
  columns,
}: {
  loaded: Loaded<{ readonly data: readonly Row[] }>;
  caption: string;
  empty: string;
  keyOf: (row: Row) => string;
  columns: readonly Column<Row>[];
}): ComponentChildren {
  const rows = loaded.data?.data;
  if (rows === undefined && loaded.error !== undefined) {
    return <LoadFailure error={loaded.error} onRetry={() => void loaded.reload()} />;
  }
  return (
    <>
      <Card isFlush>
        {rows === undefined && <Skeleton />}
        {rows?.length === 0 && <Empty title={empty} />}
        {rows !== undefined && rows.length > 0 && (
          <Table caption={caption} rows={rows} keyOf={keyOf} columns={columns} />
        )}
      </Card>
      <p class="faint small">{adminTexts.tenant.viewNote}</p>
    </>
  );
}

/** The keys of a tenant. */
export function KeysTab({ name }: { name: string }) {
  const text = texts.keys;
  const keys = useLoad(name, () => call('GET tenants/:name/keys', { params: { name } }));
  return (
    <View
      loaded={keys}
      caption={adminTexts.tenant.tabs.keys}
      empty={adminTexts.tenant.noKeys}
      keyOf={({ key_id: id }) => id}
      columns={[
        { label: text.name, cell: (key) => (key.name === '' ? text.unnamed : key.name) },
        { label: text.key, cell: (key) => <code>{`${key.prefix}…${key.last_four}`}</code> },
        { label: text.created, cell: ({ created_at: at }) => (at === null ? '–' : formatDateTime(at)) },
        {
          label: text.expires,
          cell: ({ expires_at: at }) => (at === null ? texts.general.never : formatDateTime(at)),
        },
        {
          label: text.lastUsed,
          cell: ({ last_used_at: at }) => (at === null ? texts.general.never : formatRelative(at)),
        },
      ]}
    />
  );
}

/** The usage of a tenant by day and model. */
export function UsageTab({ name }: { name: string }) {
  const text = adminTexts.tenant;
  const usage = useLoad(name, () => call('GET tenants/:name/usage', { params: { name } }));
  return (
    <View
      loaded={usage}
      caption={text.tabs.usage}
      empty={text.noUsage}
      keyOf={({ day, model }) => `${day} ${model}`}
      columns={[
        { label: text.day, cell: ({ day }) => formatDay(day) },
        { label: texts.sessions.model, cell: ({ model }) => <code>{model}</code> },
        { label: text.sessions, kind: 'number', cell: ({ sessions }) => formatNumber(sessions) },
        { label: text.audio, kind: 'number', cell: ({ audio_ms: ms }) => formatExactAudio(ms) },
        { label: text.charged, kind: 'number', cell: ({ billable_ms: ms }) => formatAudio(ms) },
      ]}
    />
  );
}

/** The latest sessions of a tenant. */
export function SessionsTab({ name }: { name: string }) {
  const text = texts.sessions;
  const keys = useLoad(name, () => call('GET tenants/:name/keys', { params: { name } }));
  const sessions = useLoad(name, () => call('GET tenants/:name/sessions', { params: { name }, query: { limit: 100 } }));
  return (
    <View
      loaded={sessions}
      caption={adminTexts.tenant.tabs.sessions}
      empty={adminTexts.tenant.noSessions}
      keyOf={({ id }) => id}
      columns={[
        {
          label: text.created,
          cell: ({ id, created_at: at }) => (
            <>
              {formatDateTime(at)}
              <code class="faint small block">{id}</code>
            </>
          ),
        },
        { label: text.model, cell: ({ model }) => <code>{model}</code> },
        {
          label: text.status,
          cell: (session) => (
            <>
              <Badge tone={stateTone(session.state)}>{stateText(session.state)}</Badge>
              <span class="faint small block">{endText(session)}</span>
            </>
          ),
        },
        {
          label: text.key,
          cell: ({ key_id: id, source }) => (
            <span class={id === null ? 'nowrap' : undefined}>
              {keyLabel(id, keys.data?.data ?? []) ?? text.sources[source]}
            </span>
          ),
        },
        { label: text.audio, kind: 'number', cell: ({ audio_ms: ms }) => formatExactAudio(ms) },
        { label: text.charged, kind: 'number', cell: ({ billable_ms: ms }) => formatAudio(ms) },
      ]}
    />
  );
}

/** The requests of a tenant that the API refused. */
export function RefusalsTab({ name }: { name: string }) {
  const text = texts.refusals;
  const refusals = useLoad(name, () => call('GET tenants/:name/refusals', { params: { name } }));
  return (
    <View
      loaded={refusals}
      caption={adminTexts.tenant.tabs.refusals}
      empty={adminTexts.tenant.noRefusals}
      keyOf={({ request_id: id }) => id}
      columns={[
        { label: text.time, cell: ({ at }) => formatPreciseTime(at) },
        { label: text.request, cell: ({ method, path }) => <code>{`${method} ${path}`}</code> },
        { label: text.status, cell: ({ status }) => <Badge tone={status >= 500 ? 'bad' : 'warning'}>{status}</Badge> },
        {
          label: text.reason,
          cell: ({ code, message }) => (
            <>
              <code>{code}</code>
              <span class="faint small block">{message}</span>
            </>
          ),
        },
        { label: text.search, cell: ({ request_id: id }) => <code class="small">{id}</code> },
      ]}
    />
  );
}
