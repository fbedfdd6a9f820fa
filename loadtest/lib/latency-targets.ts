/** Latency targets of the service: the k6 metric that measures it, and its statement in the interface. */
export const LATENCY_TARGETS = {
  delta: { metric: 'delta_latency', quote: '`delta` within 300 ms (p95) of the sample that completes its chunk' },
  final: { metric: 'final_latency', quote: '`final` within 600 ms (p95) of flush' },
  ready: { metric: 'ready_latency', quote: '`ready` within 1 s (p95) with a warm worker' },
} as const;

export type LatencyTargetName = keyof typeof LATENCY_TARGETS;

/** Limits of the 95th percentiles, in milliseconds. */
export type Limits = Readonly<Record<LatencyTargetName, number>>;
