import { useState } from 'preact/hooks';
import type { RefusalView } from '../../../src/responses.ts';
import { formatPreciseTime } from '../../data/format.ts';
import { navigate, usePlace } from '../../data/router.ts';
import { useLoad } from '../../data/use-load.ts';
import { texts } from '../../texts/index.ts';
import { Button } from '../../ui/button.tsx';
import { Badge, Card, Empty, Page, Skeleton } from '../../ui/content.tsx';
import { TextField } from '../../ui/field.tsx';
import { LoadFailure } from '../../ui/notice.tsx';
import { Table } from '../../ui/table.tsx';
import { call } from '../api.ts';
import { keyLabel } from '../keys/describe.ts';
import { SessionTabs } from './tabs.tsx';

const LIMIT = 100;

/** Requests that the API refused, searchable by the id of the request. */
export function RefusalsPage() {
  const { query } = usePlace();
  const wanted = query.get('request_id') ?? '';
  const [search, setSearch] = useState(wanted);
  const text = texts.refusals;
  const refusals = useLoad(wanted, () => call('GET refusals', { query: { request_id: wanted, limit: LIMIT } }));
  return (
    <Page title={texts.sessions.refused} lead={text.lead}>
      <SessionTabs current="refused" />
      <form
        class="search"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          const id = search.trim();
          const address = new URLSearchParams(id === '' ? {} : { request_id: id }).toString();
          navigate(`/sessions/refused${address === '' ? '' : `?${address}`}`, { replace: true });
        }}
      >
        <TextField
          label={text.search}
          hint={text.searchHint}
          value={search}
          onChange={setSearch}
          isMono
          maxLength={64}
        />
        <Button type="submit">{text.find}</Button>
      </form>
      {refusals.error !== undefined && <LoadFailure error={refusals.error} onRetry={() => void refusals.reload()} />}
      {refusals.error === undefined && (
        <Card isFlush>
          {refusals.data === undefined && <Skeleton lines={4} />}
          {refusals.data?.data.length === 0 && (
            <Empty
              title={wanted === '' ? text.empty : text.noMatch}
              text={wanted === '' ? text.emptyText : text.noMatchText}
            />
          )}
          {refusals.data !== undefined && refusals.data.data.length > 0 && (
            <RefusalTable refusals={refusals.data.data} />
          )}
        </Card>
      )}
    </Page>
  );
}

function RefusalTable({ refusals }: { refusals: readonly RefusalView[] }) {
  const text = texts.refusals;
  const keys = useLoad('keys', () => call('GET keys'));
  return (
    <Table
      caption={texts.sessions.refused}
      rows={refusals}
      keyOf={({ request_id: id }) => id}
      columns={[
        { label: text.time, cell: ({ at }) => formatPreciseTime(at) },
        {
          label: text.request,
          cell: ({ method, path, model, key_id: keyId }) => (
            <>
              <code>{`${method} ${path}`}</code>
              <span class="faint small block">
                {[model, keyLabel(keyId, keys.data?.data ?? [])]
                  .filter((part) => part !== null && part !== undefined)
                  .join(' · ')}
              </span>
            </>
          ),
        },
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
