/** One line of the Prometheus text format. */
export interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** Parses the response of `/metrics`. */
export function parseExposition(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text]);
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
  });
}

/** Sums the values of the samples with this name, separately for each value of one label. */
export function sumBy(samples: readonly Sample[], name: string, label: string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const sample of samples) {
    if (sample.name !== name) continue;
    const key = sample.labels[label] ?? '';
    sums.set(key, (sums.get(key) ?? 0) + sample.value);
  }
  return sums;
}

/** Returns the increase of each counter between two readings. Omits counters that did not change. */
export function difference(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) {
  const grown = [...after].map(([key, value]) => [key, value - (before.get(key) ?? 0)] as const);
  return new Map(grown.filter(([, value]) => value !== 0));
}

/** Formats counts like `apply 8,000, patch 2,000`. */
export function describeCounts(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([key, count]) => `${key} ${count.toLocaleString('en')}`).join(', ');
}
