import type { Panel } from './panels.ts';

/** Matches what the variables of a dashboard choose. */
export const HERE = 'namespace=~"$namespace"';
export const MODEL = `${HERE},model=~"$model"`;

/** A share of a histogram, over all gateways. */
export function quantile(share: number, metric: string, by: string, selector: string): string {
  return `histogram_quantile(${share}, sum by (le${by === '' ? '' : `, ${by}`}) (rate(${metric}_bucket{${selector}}[$__rate_interval])))`;
}

/** The percentiles of a latency, with its promise as a line. */
export function latencyPanel(options: {
  title: string;
  metric: string;
  promiseS: number;
  description: string;
  width?: number;
}): Panel {
  const { title, metric, promiseS, description, width = 8 } = options;
  const of = (share: number) => ({
    expr: quantile(share, metric, 'model', MODEL),
    legend: `p${share * 100} {{model}}`,
  });
  return {
    title,
    kind: 'timeseries',
    unit: 's',
    limit: promiseS,
    width,
    description: `${description} Promise: 95 % within ${promiseS * 1000} ms.`,
    queries: [of(0.5), of(0.95), of(0.99)],
  };
}

/** Calls a second of a counter. */
export function rate(metric: string, by: string, selector = HERE): string {
  return `sum by (${by}) (rate(${metric}{${selector}}[$__rate_interval]))`;
}

const POOL_LABELS = {
  svc_asr_pool_sessions: 'namespace, model, state',
  svc_asr_pool_slots: 'namespace, model',
} as const;

/** A figure of pools added up. Each operator may tell of a pool, and a former leader an old figure: one of them counts. */
export function pool(metric: keyof typeof POOL_LABELS, by: string, selector = MODEL): string {
  const sum = by === '' ? 'sum' : `sum by (${by})`;
  return `${sum} (max by (${POOL_LABELS[metric]}) (${metric}{${selector}}))`;
}
