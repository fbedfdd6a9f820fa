import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metrics } from '@svc-asr/runtime';

/** Counts by labels, kept in a map and read when Prometheus asks: an instrument's `add` costs ten times as much. */
class Tally {
  private readonly counts = new Map<string, { labels: Record<string, string | number>; count: number }>();

  add(amount: number, labels: Record<string, string | number> = {}): void {
    let key = '';
    for (const name in labels) key += `${labels[name]}|`;
    const entry = this.counts.get(key);
    if (entry === undefined) this.counts.set(key, { labels, count: amount });
    else entry.count += amount;
  }

  *[Symbol.iterator](): Iterator<{ labels: Record<string, string | number>; count: number }> {
    yield* this.counts.values();
  }
}

const LOOP_RESOLUTION_MS = 10;

/** Tells the longest time that the event loop did not turn; each reading begins anew. */
function observeEventLoop({ meter }: Metrics): void {
  const delay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  delay.enable();
  meter
    .createObservableGauge('svc_asr_event_loop_stall_seconds', {
      description: `Longest time between two turns of a ${LOOP_RESOLUTION_MS} ms timer since metrics were last read.`,
    })
    .addCallback((result) => {
      result.observe(delay.max / 1e9);
      delay.reset();
    });
}

/** Every metric of the gateway. */
export function createGatewayMetrics(telemetry: Metrics) {
  const { meter } = telemetry;
  observeEventLoop(telemetry);
  const tally = (name: string, description: string): Tally => {
    const counts = new Tally();
    meter.createObservableCounter(name, { description }).addCallback((result) => {
      for (const { labels, count } of counts) result.observe(count, labels);
    });
    return counts;
  };
  return {
    requests: tally('svc_asr_http_requests_total', 'HTTP requests by route, method, status and error code.'),
    requestSeconds: meter.createHistogram('svc_asr_http_request_duration_seconds', {
      description: 'Time from the first byte of a request to the last of its answer.',
      advice: { explicitBucketBoundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] },
    }),
    sessionsCreated: tally(
      'svc_asr_sessions_created_total',
      'Sessions answered with 201, repeats of an Idempotency-Key included.',
    ),
    reaped: tally('svc_asr_sessions_reaped_total', 'Sessions that this gateway ended because they were overdue.'),
    pendingCancellations: meter.createObservableGauge('svc_asr_pending_cancellations', {
      description: 'Sessions that still have to be taken back.',
    }),
    redisReady: meter.createObservableGauge('svc_asr_redis_ready', {
      description: '1 while there is a connection to Redis.',
    }),
  };
}

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;
