/** Computes percentiles with linear interpolation like k6. They are undefined without values. */
export function percentiles(values: readonly number[], percents: readonly number[]): (number | undefined)[] {
  const sorted = Float64Array.from(values).sort();
  return percents.map((percent) => {
    const position = (percent / 100) * (sorted.length - 1);
    const [low, high] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]];
    return low === undefined || high === undefined ? undefined : low + (high - low) * (position - Math.floor(position));
  });
}

export function percentile(values: readonly number[], percent: number): number | undefined {
  return percentiles(values, [percent])[0];
}

export interface Distribution {
  readonly count: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

/** Summarizes values. The percentiles are null without values. */
export function distributionOf(values: readonly number[]): Distribution {
  const [p50 = null, p95 = null, p99 = null, max = null] = percentiles(values, [50, 95, 99, 100]).map((value) =>
    value === undefined ? null : Math.round(value * 10) / 10,
  );
  return { count: values.length, p50, p95, p99, max };
}
