import { labelsOf, sourceOf } from './otlp.ts';
import type { Labels, MetricsBody } from './otlp.ts';

const KEPT_MS = 70_000;
/** A process that has sent nothing for this long counts as stopped. */
const SILENT_MS = 8000;

/**
 * Value of a series at one time. For a histogram, `value` is the number of recorded values, and `bounds` and `counts`
 * are its buckets.
 */
export interface Reading {
  readonly atMs: number;
  readonly value: number;
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
}

interface Series {
  readonly name: string;
  /** Labels of the metric, and the `service` and `instance` that sent it. */
  readonly labels: Labels;
  readonly latest: Reading;
  /** Oldest first. */
  readonly readings: readonly Reading[];
}

export type LabelledReading = Reading & Pick<Series, 'labels'>;

/** Metrics that the services sent within the last minute. */
export class MetricStore {
  readonly #series = new Map<string, Series>();

  take({ resourceMetrics = [] }: MetricsBody, atMs: number): void {
    for (const [key, { latest }] of this.#series) if (atMs - latest.atMs > KEPT_MS) this.#series.delete(key);
    for (const { resource, scopeMetrics = [] } of resourceMetrics) {
      const source = sourceOf(resource);
      for (const { name, sum, gauge, histogram } of scopeMetrics.flatMap(({ metrics = [] }) => metrics)) {
        for (const point of [sum, gauge, histogram].flatMap((kind) => kind?.dataPoints ?? [])) {
          const { asInt, asDouble, count, explicitBounds: bounds = [], bucketCounts = [] } = point;
          const labels = { ...labelsOf(point.attributes), ...source };
          const key = JSON.stringify([name, labels]);
          const kept = this.#series.get(key)?.readings.filter((reading) => atMs - reading.atMs <= KEPT_MS) ?? [];
          const value = Number(asDouble ?? asInt ?? count ?? 0);
          const latest = { atMs, value, bounds, counts: bucketCounts.map(Number) };
          this.#series.set(key, { name, labels, latest, readings: [...kept, latest] });
        }
      }
    }
  }

  /** Returns the instances of a service that are reporting. */
  instances(service: string, nowMs: number): string[] {
    const live = this.#live(nowMs).filter(({ labels }) => labels.service === service);
    return [...new Set(live.map(({ labels }) => labels.instance ?? ''))];
  }

  /** Returns the current values of a metric. With `windowMs`, returns how much each value has grown in this time. */
  read(name: string, nowMs: number, windowMs?: number): LabelledReading[] {
    const live = this.#live(nowMs).filter((series) => series.name === name);
    return live.map(({ labels, latest, readings }) => {
      if (windowMs === undefined) return { ...latest, labels };
      // A series that started within the window has grown from zero.
      const before = readings.findLast(({ atMs }) => nowMs - atMs >= windowMs);
      const counts = latest.counts.map((count, index) => count - (before?.counts[index] ?? 0));
      return { ...latest, labels, counts, value: latest.value - (before?.value ?? 0) };
    });
  }

  #live(nowMs: number): Series[] {
    return [...this.#series.values()].filter(({ latest }) => nowMs - latest.atMs <= SILENT_MS);
  }
}
