import type { HealthView } from '../../../src/responses/administration.ts';
import { formatNumber, formatRelative } from '../../data/format.ts';
import { useInterval, useLoad } from '../../data/use-load.ts';
import { adminTexts } from '../../texts/admin.ts';
import { Badge, Card, Empty, Facts, Page, Skeleton } from '../../ui/content.tsx';
import { LoadFailure } from '../../ui/notice.tsx';
import { Table } from '../../ui/table.tsx';
import { call } from '../api.ts';

const REFRESH_MS = 5000;
const MEBIBYTE = 1_048_576;

/** The health of Redis, resources, gateways and queues. */
export function HealthPage() {
  const text = adminTexts.health;
  const health = useLoad('health', () => call('GET health'));
  useInterval(REFRESH_MS, () => void health.reload());
  const { data } = health;
  return (
    <Page title={text.title} lead={text.lead}>
      {health.error !== undefined && <LoadFailure error={health.error} onRetry={() => void health.reload()} />}
      {data === undefined && health.error === undefined && (
        <Card>
          <Skeleton lines={5} />
        </Card>
      )}
      {data !== undefined && (
        <>
          <div class="grid">
            <Redis redis={data.redis} />
            <Resources health={data} />
          </div>
          {data.gateways !== null && <Gateways gateways={data.gateways} />}
          {data.queues !== null && <Queues queues={data.queues} />}
        </>
      )}
    </Page>
  );
}

function Reachable({ isReachable }: { isReachable: boolean }) {
  const text = adminTexts.health;
  return <Badge tone={isReachable ? 'good' : 'bad'}>{isReachable ? text.reachable : text.unreachable}</Badge>;
}

function milliseconds(value: number | null): string {
  return value === null ? '–' : adminTexts.health.milliseconds(formatNumber(value));
}

function Redis({ redis }: { redis: HealthView['redis'] }) {
  const text = adminTexts.health;
  const mebibytes = (bytes: number) => text.mebibytes(formatNumber(Math.round(bytes / MEBIBYTE)));
  const memory = redis.nodes.map(({ used_bytes: used, limit_bytes: limit }) =>
    limit === 0 ? `${mebibytes(used)} (${text.noLimit})` : adminTexts.common.of(mebibytes(used), mebibytes(limit)),
  );
  return (
    <Card title={text.redis} actions={<Reachable isReachable={redis.reachable} />}>
      <Facts
        items={[
          [text.latency, milliseconds(redis.latency_ms)],
          [text.memory, memory.join(', ') || '–'],
          [text.ledger, <Ledger key="ledger" isPresent={redis.has_ledger} />],
        ]}
      />
    </Card>
  );
}

function Ledger({ isPresent }: { isPresent: boolean | null }) {
  const text = adminTexts.health;
  if (isPresent === null) return <>–</>;
  if (isPresent) return <Badge tone="good">{text.hasLedger}</Badge>;
  return (
    <>
      <Badge tone="bad">{text.noLedger}</Badge>
      <span class="faint small block">{text.noLedgerText}</span>
    </>
  );
}

function Resources({ health: { resources, operator, waiting_audit_entries: waiting } }: { health: HealthView }) {
  const text = adminTexts.health;
  return (
    <Card title={text.resources} actions={<Reachable isReachable={resources.reachable} />}>
      <Facts
        items={[
          [text.storedIn, text.kinds[resources.kind]],
          [text.latency, milliseconds(resources.latency_ms)],
          [text.operator, operatorStatus(operator, resources.kind)],
          [text.auditWaiting, formatNumber(waiting)],
        ]}
      />
    </Card>
  );
}

function operatorStatus(operator: HealthView['operator'], kind: HealthView['resources']['kind']): string {
  const text = adminTexts.health;
  if (operator !== null) return `${operator.holder}, ${text.renewed(formatRelative(operator.renewed_at))}`;
  return kind === 'files' ? text.noLease : text.unknown;
}

function Gateways({ gateways }: { gateways: NonNullable<HealthView['gateways']> }) {
  const text = adminTexts.health;
  return (
    <Card title={text.gateways} isFlush>
      {gateways.length === 0 ? (
        <Empty title={text.noGateways} />
      ) : (
        <Table
          caption={text.gateways}
          rows={gateways}
          keyOf={({ id }) => id}
          columns={[
            { label: text.gateway, cell: ({ id }) => <code class="small">{id}</code> },
            { label: text.streams, kind: 'number', cell: ({ streams }) => formatNumber(streams) },
            {
              label: text.free,
              kind: 'number',
              cell: ({ free_streams: free }) => (free === null ? '–' : formatNumber(free)),
            },
          ]}
        />
      )}
    </Card>
  );
}

function Queues({ queues }: { queues: NonNullable<HealthView['queues']> }) {
  const text = adminTexts.health;
  return (
    <Card title={text.queues} isFlush>
      {queues.length === 0 ? (
        <Empty title={text.noModels} />
      ) : (
        <Table
          caption={text.queues}
          rows={queues}
          keyOf={({ model }) => model}
          columns={[
            { label: text.model, cell: ({ model }) => <code>{model}</code> },
            { label: text.workers, kind: 'number', cell: ({ workers }) => formatNumber(workers) },
            {
              label: text.slots,
              kind: 'number',
              cell: ({ active, slots }) => adminTexts.common.of(formatNumber(active), formatNumber(slots)),
            },
            { label: text.waiting, kind: 'number', cell: ({ waiting }) => formatNumber(waiting) },
          ]}
        />
      )}
    </Card>
  );
}
