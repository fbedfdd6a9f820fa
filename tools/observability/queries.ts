import type { Panel } from './panels.ts';

/** Selectors for the variables of a dashboard. */
export const HERE = 'namespace=~"$namespace"';
export const MODEL = `${HERE},model=~"$model"`;

/** Builds the query for a quantile of a histogram over all gateways. */
export function quantile(share: number, metric: string, by: string, selector: string): string {
  return `histogram_quantile(${share}, sum by (le${by === '' ? '' : `, ${by}`}) (rate(${metric}_bucket{${selector}}[$__rate_interval])))`;
}

/** Builds a panel with the percentiles of a latency and its target as a line. */
export function latencyPanel(options: {
  title: string;
  metric: string;
  targetSeconds: number;
  description: string;
  width?: number;
}): Panel {
  const { title, metric, targetSeconds, description, width = 8 } = options;
  const of = (share: number) => ({
    expr: quantile(share, metric, 'model', MODEL),
    legend: `p${share * 100} {{model}}`,
  });
  return {
    title,
    kind: 'timeseries',
    unit: 's',
    limit: targetSeconds,
    width,
    description: `${description} Target: 95 % within ${targetSeconds * 1000} ms.`,
    queries: [of(0.5), of(0.95), of(0.99)],
  };
}

/** Builds the query for the rate per second of a counter. */
export function rate(metric: string, by: string, selector = HERE): string {
  return `sum by (${by}) (rate(${metric}{${selector}}[$__rate_interval]))`;
}

const POOL_LABELS = {
  svc_asr_pool_sessions: 'namespace, model, state',
  svc_asr_pool_slots: 'namespace, model',
} as const;

/**
 * Builds the query for the sum of a metric over pools. Several operators may export a pool, and a former leader an old
 * value, so only the largest value of each pool counts.
 */
export function pool(metric: keyof typeof POOL_LABELS, by: string, selector = MODEL): string {
  const sum = by === '' ? 'sum' : `sum by (${by})`;
  return `${sum} (max by (${POOL_LABELS[metric]}) (${metric}{${selector}}))`;
}
