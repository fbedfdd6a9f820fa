import { addUp, quantile } from './quantile.ts';
import type { Found, MetricStore } from './store.ts';

/** Window of rates. Latencies use a whole minute, because few streams give few values. */
const RATE_MS = 10_000;
const LATENCY_MS = 60_000;

/** Latency targets of the service: 95 % of the values are at most this many seconds. */
export const TARGETS = {
  delta: { metric: 'svc_asr_delta_latency_seconds', targetS: 0.3 },
  final: { metric: 'svc_asr_final_latency_seconds', targetS: 0.6 },
  ready: { metric: 'svc_asr_ready_latency_seconds', targetS: 1 },
} as const;

export interface Latency {
  readonly targetS: number;
  readonly p50: number | undefined;
  readonly p95: number | undefined;
  readonly count: number;
}

export type Snapshot = ReturnType<typeof buildSnapshot>;

/** Builds the current values that the page shows. */
export function buildSnapshot(store: MetricStore, nowMs: number) {
  const increase = (name: string) => store.increase(name, nowMs, RATE_MS);
  const latest = (name: string) => store.latest(name, nowMs);
  const perSecond = (found: readonly Found[]) => (sum(found) * 1000) / RATE_MS;
  const latency = ({ metric, targetS }: { metric: string; targetS: number }): Latency => {
    const { bounds, counts } = addUp(store.increase(metric, nowMs, LATENCY_MS));
    const count = counts.reduce((total, one) => total + one, 0);
    return { targetS, p50: quantile(0.5, bounds, counts), p95: quantile(0.95, bounds, counts), count };
  };
  const requests = increase('svc_asr_http_requests');
  const isError = ({ labels }: Found) => Number(labels.status) >= 500;
  return {
    sources: store.sources(nowMs),
    latency: { delta: latency(TARGETS.delta), final: latency(TARGETS.final), ready: latency(TARGETS.ready) },
    models: buildModels(store, nowMs),
    workers: buildWorkers(store, nowMs),
    http: {
      perSecond: perSecond(requests),
      errorsPerSecond: perSecond(requests.filter(isError)),
      routes: buildRoutes(store, nowMs),
      codes: groupBy(
        store.increase('svc_asr_http_requests', nowMs, LATENCY_MS).filter(({ labels }) => (labels.code ?? '') !== ''),
        'code',
      ),
    },
    sessionsPerSecond: perSecond(increase('svc_asr_sessions_created')),
    ended: groupBy(store.increase('svc_asr_streams_ended', nowMs, LATENCY_MS), 'reason'),
    moves: sum(store.increase('svc_asr_stream_moves', nowMs, LATENCY_MS)),
    redis: latest('svc_asr_redis_ready').every(({ value }) => value === 1),
    ledgerMissing: latest('svc_asr_ledger_missing').some(({ value }) => value === 1),
    stallMs: Math.max(0, ...latest('svc_asr_event_loop_stall_seconds').map(({ value }) => value * 1000)),
    pending: sum(latest('svc_asr_pending_settlements')) + sum(latest('svc_asr_pending_cancellations')),
  };
}

function buildModels(store: MetricStore, nowMs: number) {
  const streams = store.latest('svc_asr_streams', nowMs);
  const slots = store.latest('svc_asr_pool_slots', nowMs);
  const sessions = store.latest('svc_asr_pool_sessions', nowMs);
  const workers = store.latest('svc_asr_operator_workers', nowMs);
  const names = new Set([...streams, ...slots].map(({ labels }) => labels.model ?? ''));
  return [...names].sort().map((model) => {
    const of = (found: readonly Found[], state?: string) =>
      sum(found.filter(({ labels }) => labels.model === model && (state === undefined || labels.state === state)));
    return {
      model,
      streams: of(streams),
      slots: of(slots),
      waiting: of(sessions, 'waiting'),
      reserved: of(sessions, 'reserved'),
      ready: of(workers, 'ready'),
      desired: of(workers, 'desired'),
    };
  });
}

function buildWorkers(store: MetricStore, nowMs: number) {
  const increases = (name: string) => store.increase(name, nowMs, RATE_MS);
  const [runs, windows] = [increases('svc_asr_worker_runs'), increases('svc_asr_worker_batch_size')];
  const [runS, waitS] = [increases('svc_asr_worker_run_seconds'), increases('svc_asr_worker_wait_seconds')];
  const audioS = increases('svc_asr_worker_audio_seconds');
  const streams = store.latest('svc_asr_worker_streams', nowMs);
  return store.latest('svc_asr_worker_slots', nowMs).map(({ instance, labels, value: slots }) => {
    const of = (found: readonly Found[]) => sum(found.filter((one) => one.instance === instance));
    const ratio = (over: number, under: number) => (under > 0 ? over / under : undefined);
    return {
      instance,
      model: labels.model ?? '',
      slots,
      streams: of(streams),
      busy: (of(runS) * 1000) / RATE_MS,
      batch: ratio(of(windows), of(runs)),
      waitMs: ratio(of(waitS) * 1000, of(windows)),
      runMs: ratio(of(runS) * 1000, of(runs)),
      realTimeFactor: ratio(of(runS), of(audioS)),
    };
  });
}

function buildRoutes(store: MetricStore, nowMs: number) {
  const found = store.increase('http.server.request.duration', nowMs, LATENCY_MS);
  const gateway = found.filter(({ service, value }) => service === 'gateway' && value > 0);
  const routes = new Set(gateway.map(({ labels }) => labels['http.route'] ?? ''));
  return [...routes].sort().map((route) => {
    const of = gateway.filter(({ labels }) => labels['http.route'] === route);
    const { bounds, counts } = addUp(of);
    return { route, count: sum(of), p95: quantile(0.95, bounds, counts) };
  });
}

function groupBy(found: readonly Found[], label: string): { name: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { labels, value } of found) {
    const name = labels[label] ?? '';
    if (value > 0) counts.set(name, (counts.get(name) ?? 0) + value);
  }
  return [...counts].map(([name, count]) => ({ name, count })).sort((one, other) => other.count - one.count);
}

function sum(found: readonly { value: number }[]): number {
  return found.reduce((total, { value }) => total + value, 0);
}
