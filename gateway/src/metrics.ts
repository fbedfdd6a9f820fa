import { createCounter, createGauge, createHistogram, createObservedCounter, watchEventLoop } from '@svc-asr/runtime';
import type { MetricDefinition, Metrics } from '@svc-asr/runtime';
import { GATEWAY_METRICS } from './telemetry/metric-list.ts';

/**
 * Counter by labels that is read when Prometheus scrapes. The `add` of an OpenTelemetry counter costs ten times as
 * much.
 */
class Tally {
  readonly #counts = new Map<string, { labels: Record<string, string | number>; count: number }>();

  add(amount: number, labels: Record<string, string | number> = {}): void {
    let key = '';
    for (const name in labels) key += `${labels[name]}|`;
    const entry = this.#counts.get(key);
    if (entry === undefined) this.#counts.set(key, { labels, count: amount });
    else entry.count += amount;
  }

  *[Symbol.iterator](): Iterator<{ labels: Record<string, string | number>; count: number }> {
    yield* this.#counts.values();
  }
}

/** Creates the instruments of the gateway. */
export function createGatewayMetrics({ meter }: Metrics) {
  const readStall = watchEventLoop();
  createGauge(meter, GATEWAY_METRICS.eventLoopStall).addCallback((result) => result.observe(readStall()));
  const tally = (definition: MetricDefinition): Tally => {
    const counts = new Tally();
    createObservedCounter(meter, definition).addCallback((result) => {
      for (const { labels, count } of counts) result.observe(count, labels);
    });
    return counts;
  };
  return {
    requests: tally(GATEWAY_METRICS.requests),
    requestSeconds: createHistogram(meter, GATEWAY_METRICS.requestSeconds),
    sessionsCreated: tally(GATEWAY_METRICS.sessionsCreated),
    reaped: tally(GATEWAY_METRICS.reaped),
    connectionsRefused: tally(GATEWAY_METRICS.connectionsRefused),
    handshakes: tally(GATEWAY_METRICS.handshakes),
    streams: createGauge(meter, GATEWAY_METRICS.streams),
    streamsEnded: createCounter(meter, GATEWAY_METRICS.streamsEnded),
    streamMoves: createCounter(meter, GATEWAY_METRICS.streamMoves),
    connectionLosses: tally(GATEWAY_METRICS.connectionLosses),
    readySeconds: createHistogram(meter, GATEWAY_METRICS.readySeconds),
    deltaSeconds: createHistogram(meter, GATEWAY_METRICS.deltaSeconds),
    finalSeconds: createHistogram(meter, GATEWAY_METRICS.finalSeconds),
    placeSeconds: createHistogram(meter, GATEWAY_METRICS.placeSeconds),
    billedSeconds: createCounter(meter, GATEWAY_METRICS.billedSeconds),
    pendingSettlements: createGauge(meter, GATEWAY_METRICS.pendingSettlements),
    pendingCancellations: createGauge(meter, GATEWAY_METRICS.pendingCancellations),
    redisReady: createGauge(meter, GATEWAY_METRICS.redisReady),
  };
}

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;
