import { readFileSync } from 'node:fs';

/** Metrics of a run by name, as k6 passes them to `handleSummary`. */
export type K6Metrics = Readonly<
  Record<
    string,
    {
      readonly values: Readonly<Record<string, number>>;
      readonly thresholds?: Readonly<Record<string, { readonly ok: boolean }>>;
    }
  >
>;

/** Distribution of a trend in milliseconds. If there are no values, all fields except the count are null. */
export interface Distribution {
  readonly count: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

export function readK6Metrics(file: string): K6Metrics {
  return JSON.parse(readFileSync(file, 'utf8')) as K6Metrics;
}

export function distributionOf(metrics: K6Metrics, name: string): Distribution {
  const values = metrics[name]?.values ?? {};
  const count = values.count ?? 0;
  const round = (value = 0) => (count === 0 ? null : Math.round(value * 10) / 10);
  const { med, 'p(95)': p95, 'p(99)': p99, max } = values;
  return { count, p50: round(med), p95: round(p95), p99: round(p99), max: round(max) };
}

/** Returns the count of a counter or trend. It is 0 if k6 has no such metric. */
export function countOf(metrics: K6Metrics, name: string): number {
  return metrics[name]?.values.count ?? 0;
}

/** Returns whether a metric met its thresholds. A metric without values meets them. */
export function meetsThresholds(metrics: K6Metrics, name: string): boolean {
  return Object.values(metrics[name]?.thresholds ?? {}).every(({ ok }) => ok);
}
