/**
 * Events with a latency target. The name of the k6 metric is the name of the event followed by `_latency`, such as
 * `delta_latency`.
 */
export const LATENCY_TARGETS = ['delta', 'final', 'ready'] as const;

export type LatencyTargetName = (typeof LATENCY_TARGETS)[number];

/** Limits of the 95th percentiles, in milliseconds. */
export type Limits = Readonly<Record<LatencyTargetName, number>>;
