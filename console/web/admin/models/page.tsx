import type { ModelView, PoolView } from '../../../src/responses/administration.ts';
import { formatNumber, formatRelative, formatDateTime } from '../../data/format.ts';
import { useInterval, useLoad } from '../../data/use-load.ts';
import { adminTexts } from '../../texts/admin.ts';
import { Badge, Card, Empty, Facts, Page, Skeleton } from '../../ui/content.tsx';
import { LoadFailure, Notice } from '../../ui/notice.tsx';
import { Table } from '../../ui/table.tsx';
import { call } from '../api.ts';

const REFRESH_MS = 5000;
/** For each type of condition, the status that indicates a problem. */
const PROBLEMS: Readonly<Record<string, string>> = { Available: 'False', ArtifactReady: 'False', Degraded: 'True' };

/** The models with their workers, conditions and events. */
export function ModelsPage() {
  const text = adminTexts.models;
  const models = useLoad('models', () => call('GET models'));
  useInterval(REFRESH_MS, () => void models.reload());
  const { data } = models;
  return (
    <Page title={text.title} lead={text.lead}>
      {data?.ledger_available === false && <Notice tone="warning">{adminTexts.common.redisUnavailable}</Notice>}
      {data === undefined && models.error !== undefined && (
        <LoadFailure error={models.error} onRetry={() => void models.reload()} />
      )}
      {data === undefined && models.error === undefined && (
        <Card>
          <Skeleton lines={5} />
        </Card>
      )}
      {data?.data.length === 0 && (
        <Card isFlush>
          <Empty title={text.empty} text={text.emptyText} />
        </Card>
      )}
      {data?.data.map((model) => (
        <Model key={model.name} model={model} isKnown={data.ledger_available} />
      ))}
    </Page>
  );
}

/** Shows whether gateways offer a model. Redis stores this, so it is unknown while Redis is unavailable. */
function Served({ model, isKnown }: { model: ModelView; isKnown: boolean }) {
  const text = adminTexts.models;
  if (!isKnown) return <Badge tone="warning">{text.unknown}</Badge>;
  return <Badge tone={model.served ? 'good' : 'neutral'}>{model.served ? text.served : text.notServed}</Badge>;
}

function Model({ model, isKnown }: { model: ModelView; isKnown: boolean }) {
  const text = adminTexts.models;
  const { pool, canary, scaling } = model;
  return (
    <Card
      title={model.language === null ? model.name : `${model.language} · ${model.name}`}
      actions={<Served model={model} isKnown={isKnown} />}
      isFlush
    >
      <div class="card-part">
        {pool !== null && (
          <Facts
            items={[
              [text.workers, <Workers key="workers" pool={pool} />],
              [text.streams, adminTexts.common.of(formatNumber(pool.active), formatNumber(pool.slots))],
              [text.waiting, formatNumber(pool.waiting)],
              [text.held, formatNumber(pool.held)],
              [text.refused, formatNumber(pool.refused)],
              [text.revision, <code key="revision">{model.revision ?? pool.workers[0]?.revision ?? '–'}</code>],
            ]}
          />
        )}
        {scaling !== null && (
          <p class="faint small">{text.scaling(formatNumber(scaling.min), formatNumber(scaling.max))}</p>
        )}
        {canary !== null && <Notice title={text.canary}>{text.canaryText(canary.revision, canary.percent)}</Notice>}
      </div>
      {pool !== null && pool.workers.length > 0 && (
        <>
          <h3 class="card-part-title">{text.workers}</h3>
          <WorkerTable model={model.name} workers={pool.workers} />
        </>
      )}
      {model.conditions.length > 0 && (
        <>
          <h3 class="card-part-title">{text.conditions}</h3>
          <Conditions model={model} />
        </>
      )}
      {model.events.length > 0 && (
        <>
          <h3 class="card-part-title">{text.events}</h3>
          <Events model={model} />
        </>
      )}
    </Card>
  );
}

function Workers({ pool }: { pool: PoolView }) {
  if (pool.workers.length > 0) return <>{formatNumber(pool.workers.length)}</>;
  return <Badge tone="warning">{adminTexts.models.noWorkers}</Badge>;
}

function WorkerTable({ model, workers }: { model: string; workers: PoolView['workers'] }) {
  const text = adminTexts.models;
  return (
    <Table
      caption={`${text.workers}: ${model}`}
      rows={workers}
      keyOf={({ id }) => id}
      columns={[
        { label: text.worker, cell: ({ id }) => <code class="small">{id}</code> },
        {
          label: text.state,
          cell: ({ draining: isDraining }) => (
            <Badge tone={isDraining ? 'warning' : 'good'}>{isDraining ? text.draining : text.ready}</Badge>
          ),
        },
        { label: text.revision, cell: ({ revision }) => <code class="small">{revision}</code> },
        { label: text.device, cell: ({ device, tier }) => [device, tier].filter(Boolean).join(' · ') || '–' },
        {
          label: text.streams,
          kind: 'number',
          cell: ({ active, slots }) => adminTexts.common.of(formatNumber(active), formatNumber(slots)),
        },
      ]}
    />
  );
}

function Conditions({ model }: { model: ModelView }) {
  const text = adminTexts.models;
  return (
    <Table
      caption={`${text.conditions}: ${model.name}`}
      rows={model.conditions}
      keyOf={({ type }) => type}
      columns={[
        {
          label: text.condition,
          cell: ({ type, status }) => (
            <Badge tone={PROBLEMS[type] === status ? 'bad' : 'neutral'}>{`${type}: ${status}`}</Badge>
          ),
        },
        {
          label: text.message,
          cell: ({ reason, message }) => (
            <>
              {reason}
              <span class="faint small block">{message}</span>
            </>
          ),
        },
        { label: text.time, cell: ({ since }) => <span title={formatDateTime(since)}>{formatRelative(since)}</span> },
      ]}
    />
  );
}

function Events({ model }: { model: ModelView }) {
  const text = adminTexts.models;
  return (
    <Table
      caption={`${text.events}: ${model.name}`}
      rows={model.events}
      keyOf={({ at, reason, message }) => `${at} ${reason} ${message}`}
      columns={[
        {
          label: text.event,
          cell: ({ type, reason, count }) => (
            <>
              <Badge tone={type === 'Warning' ? 'warning' : 'neutral'}>{reason}</Badge>
              {count > 1 && <span class="faint small"> {text.times(count)}</span>}
            </>
          ),
        },
        { label: text.message, cell: ({ message }) => message },
        { label: text.time, cell: ({ at }) => <span title={formatDateTime(at)}>{formatRelative(at)}</span> },
      ]}
    />
  );
}
