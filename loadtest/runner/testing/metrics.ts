import { CHECKS, METRICS } from '../../lib/thresholds.ts';
import type { Balances } from '../admin.ts';
import type { K6Metrics } from '../k6-metrics.ts';

/** Creates a trend in which every value is the same. */
export function trend(value: number, count = 10, limit = Infinity): K6Metrics[string] {
  return {
    values: { count, avg: value, med: value, 'p(95)': value, 'p(99)': value, max: value },
    thresholds: { [`p(95)<=${limit}`]: { ok: value <= limit } },
  };
}

export function counter(count: number): K6Metrics[string] {
  return { values: { count, rate: 1 } };
}

/** Creates the result of a check, with the number of sessions that passed it and that failed it. */
export function checkResult(passes: number, fails: number): K6Metrics[string] {
  return { values: { passes, fails }, thresholds: { 'rate==1': { ok: fails === 0 } } };
}

/** Creates the metrics of a correct run of the tenant `t` with two sessions of 3 billable seconds each. */
export function metricsOf(changes: Partial<K6Metrics> = {}): K6Metrics {
  const metrics: Partial<K6Metrics> = {
    sessions: counter(2),
    final_latency: trend(50, 2),
    wer: trend(20, 2),
    lag: trend(1, 100, 50),
    [METRICS.latency('delta')]: trend(40, 8, 300),
    [METRICS.latency('final')]: trend(50, 2, 600),
    [METRICS.latency('ready')]: trend(20, 2, 1000),
    [METRICS.create]: trend(5, 2),
    [METRICS.check(CHECKS.finals)]: checkResult(2, 0),
    [METRICS.check(CHECKS.events)]: checkResult(2, 0),
    [METRICS.check(CHECKS.closed)]: checkResult(2, 0),
    [METRICS.charged('t')]: counter(6000),
    ...changes,
  };
  return metrics as K6Metrics;
}

/** Creates balances of the tenant `t`, which was granted one hour and has consumed `consumedMs`. */
export function balancesOf(
  consumedMs: number,
  changes: { reservedMs?: number; availableMs?: number; billableMs?: number } = {},
): Balances {
  const { reservedMs = 0, availableMs = 3_600_000 - consumedMs - reservedMs, billableMs = consumedMs } = changes;
  const balance = { available_ms: availableMs, reserved_ms: reservedMs, consumed_ms: consumedMs };
  return {
    tenant: 't',
    credits: { granted_ms: 3_600_000, ...balance },
    liveSessions: reservedMs === 0 ? 0 : 1,
    billableMs,
    ownView: balance,
  };
}

/** Facts of a run that met all targets. */
export const FACTS = {
  scenario: 'steady' as const,
  startedAt: '2027-01-01T00:00:00.000Z',
  seconds: 60,
  service: 'https://asr.example',
  declaredSlots: 4,
  declaredAfter: null as number | null,
  slotRange: null,
  slowWorker: false,
  cpuHalvedAfterSeconds: null,
  quietIdleShare: null as number | null,
};

/** Plan of one stream whose latency must meet the targets. */
export const PLAN = {
  model: 'm',
  streams: 1,
  users: 1,
  contexts: [],
  lagLimitMs: 50,
  limits: { delta: 300, final: 600, ready: 1000 },
  ramp: null,
  periods: null,
  noiseFactor: 100,
  requiresLatency: true,
};
