import type { LabelledReading, MetricStore } from './metric-store.ts';
import type { Labels } from './otlp.ts';
import { formatDuration, formatNumber, formatPercent } from './page/format.js';
import { quantile } from './quantile.ts';
import type { ShownSession } from './traces.ts';

/** Time over which rates are computed. Latencies use a whole minute, because a few streams give few values. */
const RATE_MS = 10_000;
const MINUTE_MS = 60_000;
/** Limits for a stall of the event loop, and for the share of time in inference. Larger values are shown as bad. */
const MAX_STALL_S = 0.25;
const MAX_BUSY = 0.9;

/** A plot. The latest value of its first line is also shown as a number. */
export interface Card {
  readonly title: string;
  readonly note: string;
  readonly isBad: boolean;
  readonly unit: 'duration' | 'number' | 'percent';
  /** Upper limit of the axis, unless a value is larger. */
  readonly top: number;
  readonly lines: readonly (readonly [label: string, value: number | undefined])[];
}

export interface Table {
  readonly title: string;
  readonly heads: readonly string[];
  /** A pair of numbers is shown as a bar. */
  readonly rows: readonly (readonly (string | number | readonly [used: number, total: number])[])[];
  /** Shown instead of a table without rows. */
  readonly emptyText: string;
}

/** Content of the page that is derived from the metrics. */
export interface View {
  readonly badges: readonly { text: string; isBad: boolean }[];
  readonly cards: readonly Card[];
  readonly tables: readonly Table[];
}

/** Body of `/data`, which the page loads every second. */
export interface PageData extends View {
  /** Values that the plots draw, by card and line. Oldest first. */
  readonly history: { atMs: number; values: (number | undefined)[][] }[];
  /** Newest first. */
  readonly sessions: readonly ShownSession[];
}

type Reader = ReturnType<typeof createReader>;

/** Returns functions that read metrics by name. `value` and `perSecond` add up the series with the given labels. */
function createReader(store: MetricStore, nowMs: number) {
  const sumOf = (name: string, labels: Labels, windowMs?: number) => {
    const isSelected = (one: LabelledReading) =>
      Object.entries(labels).every(([key, value]) => one.labels[key] === value);
    return sum(store.read(name, nowMs, windowMs).filter(isSelected));
  };
  return {
    series: (name: string) => store.read(name, nowMs),
    lastMinute: (name: string) => store.read(name, nowMs, MINUTE_MS),
    value: (name: string, labels: Labels = {}) => sumOf(name, labels),
    perSecond: (name: string, labels: Labels = {}) => (sumOf(name, labels, RATE_MS) * 1000) / RATE_MS,
    instances: (service: string) => store.instances(service, nowMs),
  };
}

export function buildView(store: MetricStore, nowMs: number): View {
  const reader = createReader(store, nowMs);
  return {
    badges: buildBadges(reader),
    cards: [
      buildLatencyCard('Delta', reader.lastMinute('svc_asr_delta_latency_seconds'), 0.3),
      buildLatencyCard('Final', reader.lastMinute('svc_asr_final_latency_seconds'), 0.6),
      buildLatencyCard('Ready', reader.lastMinute('svc_asr_ready_latency_seconds'), 1),
      ...buildLoadCards(reader),
    ],
    tables: [buildModels(reader), buildWorkers(reader), buildRoutes(reader), buildEvents(reader)],
  };
}

function buildBadges({ instances, series, value }: Reader): View['badges'] {
  const services = ['gateway', 'operator', 'console', 'worker'].map((name) => {
    const { length } = instances(name);
    // A model without sessions may have no worker.
    return { text: length > 1 ? `${length} ${name}s` : name, isBad: length === 0 && name !== 'worker' };
  });
  const stallS = Math.max(0, ...series('svc_asr_event_loop_stall_seconds').map((stall) => stall.value));
  const unsettled = value('svc_asr_pending_settlements') + value('svc_asr_pending_cancellations');
  return [
    ...services,
    { text: 'Redis', isBad: series('svc_asr_redis_ready').some((ready) => ready.value === 0) },
    { text: 'ledger', isBad: value('svc_asr_ledger_missing') > 0 },
    { text: `longest stall ${formatDuration(stallS)}`, isBad: stallS > MAX_STALL_S },
    ...(unsettled > 0 ? [{ text: `${unsettled} unsettled sessions`, isBad: true }] : []),
  ];
}

/** Builds the card of a latency. The target is the number of seconds that 95 % of the values must not exceed. */
function buildLatencyCard(name: string, histograms: readonly LabelledReading[], targetS: number): Card {
  const p95 = quantile(0.95, histograms);
  const values = `p50 ${formatDuration(quantile(0.5, histograms))}, ${sum(histograms)}`;
  return {
    title: `${name} latency, p95`,
    note: `target ${formatDuration(targetS)}, ${p95 === undefined ? 'none' : values} in the last minute`,
    isBad: p95 !== undefined && p95 > targetS,
    unit: 'duration',
    top: targetS * 1.25,
    lines: Object.entries({ p95, target: targetS }),
  };
}

function buildLoadCards({ instances, series, value, perSecond }: Reader): Card[] {
  const [streams, slots] = [value('svc_asr_streams'), value('svc_asr_pool_slots')];
  const waiting = value('svc_asr_pool_sessions', { state: 'waiting' });
  const capacity = `of ${formatNumber(slots)} slots${waiting > 0 ? `, ${formatNumber(waiting)} waiting` : ''}`;
  const shares = instances('worker').map((instance) => perSecond('svc_asr_worker_run_seconds', { instance }));
  const busy = shares.length === 0 ? undefined : Math.max(...shares);
  const isOverloaded = busy !== undefined && busy > MAX_BUSY;
  const requests = perSecond('svc_asr_http_requests');
  const statuses = distinct('status', series('svc_asr_http_requests')).filter((status) => Number(status) >= 500);
  const errors = statuses.reduce((total, status) => total + perSecond('svc_asr_http_requests', { status }), 0);
  const rates = `${formatNumber(perSecond('svc_asr_sessions_created'))} sessions, ${formatNumber(errors)} errors`;
  const axis = { unit: 'number', top: 4 } as const;
  const share = { unit: 'percent', top: 1 } as const;
  return [
    { title: 'Streams', note: capacity, isBad: waiting > 0, ...axis, lines: Object.entries({ streams, slots }) },
    {
      title: 'Busiest worker',
      note: 'of the time in inference',
      isBad: isOverloaded,
      ...share,
      lines: [['busy', busy]],
    },
    {
      title: 'Requests per second',
      note: rates,
      isBad: errors > 0,
      ...axis,
      lines: Object.entries({ requests, errors }),
    },
  ];
}

function buildModels({ series, value }: Reader): Table {
  const models = distinct('model', [...series('svc_asr_streams'), ...series('svc_asr_pool_slots')]);
  return {
    title: 'Models',
    heads: ['Model', 'Streams / slots', 'Reserved', 'Waiting', 'Workers / desired'],
    rows: models.map((model) => [
      model,
      [value('svc_asr_streams', { model }), value('svc_asr_pool_slots', { model })],
      value('svc_asr_pool_sessions', { model, state: 'reserved' }),
      value('svc_asr_pool_sessions', { model, state: 'waiting' }),
      ['ready', 'desired'].map((state) => value('svc_asr_operator_workers', { model, state })).join(' / '),
    ]),
    emptyText: 'No models yet.',
  };
}

function buildWorkers({ series, value, perSecond }: Reader): Table {
  const ratio = (over: number, under: number) => (under > 0 ? over / under : undefined);
  return {
    title: 'Workers, last 10 seconds',
    heads: ['Worker', 'Streams / slots', 'Busy', 'Batch size', 'Wait', 'Run'],
    rows: series('svc_asr_worker_slots').map(({ labels: { instance = '', model = '' }, value: slots }) => {
      const [runs, runS] = [
        perSecond('svc_asr_worker_runs', { instance }),
        perSecond('svc_asr_worker_run_seconds', { instance }),
      ];
      const chunks = perSecond('svc_asr_worker_batch_size', { instance });
      return [
        `${model.replace(/^svc-asr-/, '')} ${instance.split(':').at(-1) ?? ''}`,
        [value('svc_asr_worker_streams', { instance }), slots],
        formatPercent(runS),
        formatNumber(ratio(chunks, runs)),
        formatDuration(ratio(perSecond('svc_asr_worker_wait_seconds', { instance }), chunks)),
        formatDuration(ratio(runS, runs)),
      ];
    }),
    emptyText: 'No workers. One starts when a session needs it.',
  };
}

function buildRoutes({ lastMinute }: Reader): Table {
  const requests = lastMinute('http.server.request.duration');
  const gateway = requests.filter(({ labels, value }) => labels.service === 'gateway' && value > 0);
  // The gateway delays some refusals with 401 and 429, and logs 499 if the client disconnects meanwhile. Such requests
  // would distort the p95.
  const prompt = gateway.filter(
    ({ labels }) => !['401', '429', '499'].includes(labels['http.response.status_code'] ?? ''),
  );
  return {
    title: 'Routes, last minute',
    heads: ['Route', 'Requests', 'p95'],
    rows: distinct('http.route', gateway).map((route) => {
      const found = gateway.filter(({ labels }) => labels['http.route'] === route);
      const timed = prompt.filter(({ labels }) => labels['http.route'] === route);
      return [route, sum(found), formatDuration(quantile(0.95, timed))];
    }),
    emptyText: 'No requests in the last minute.',
  };
}

function buildEvents({ lastMinute }: Reader): Table {
  const rowsOf = (event: string, label: string, metric: string) => {
    const found = lastMinute(metric);
    return distinct(label, found)
      .map((reason) => [event, reason, sum(found.filter(({ labels }) => labels[label] === reason))] as const)
      .filter(([, , count]) => count > 0)
      .sort(([, , one], [, , other]) => other - one);
  };
  return {
    title: 'Failed requests, ended and moved streams, last minute',
    heads: ['Event', 'Reason', 'Count'],
    rows: [
      ...rowsOf('Request failed', 'code', 'svc_asr_http_requests'),
      ...rowsOf('Stream ended', 'reason', 'svc_asr_streams_ended'),
      ...rowsOf('Stream moved', 'cause', 'svc_asr_stream_moves'),
    ],
    emptyText: 'None in the last minute.',
  };
}

/** Returns the values of a label in alphabetical order, without the empty one. */
function distinct(label: string, readings: readonly LabelledReading[]): string[] {
  return [...new Set(readings.map(({ labels }) => labels[label] ?? ''))].filter((value) => value !== '').sort();
}

function sum(readings: readonly LabelledReading[]): number {
  return readings.reduce((total, { value }) => total + value, 0);
}
