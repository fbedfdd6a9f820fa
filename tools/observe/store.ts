import type { Labels, Reading, Source } from './otlp.ts';

interface Series {
  readonly source: Source;
  readonly name: string;
  readonly labels: Labels;
  /** Oldest first. */
  readings: { atMs: number; reading: Reading }[];
}

/** Current value or growth of one series. */
export interface Found extends Source {
  readonly labels: Labels;
  readonly value: number;
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
}

const KEPT_MS = 70_000;
/** A process that has sent nothing for this long counts as stopped. */
const SILENT_MS = 8000;

/** Metrics that the services sent within the last minute. */
export class MetricStore {
  readonly #series = new Map<string, Series>();
  readonly #receivedAtMs = new Map<string, { source: Source; atMs: number }>();

  take(source: Source, readings: readonly Reading[], nowMs: number): void {
    this.#receivedAtMs.set(`${source.service}|${source.instance}`, { source, atMs: nowMs });
    for (const reading of readings) {
      const { name, labels } = reading;
      const key = `${source.service}|${source.instance}|${name}|${JSON.stringify(labels)}`;
      const series = this.#series.get(key) ?? { source, name, labels, readings: [] };
      series.readings.push({ atMs: nowMs, reading });
      series.readings = series.readings.filter(({ atMs }) => nowMs - atMs <= KEPT_MS);
      this.#series.set(key, series);
    }
  }

  /** Returns the processes that are reporting. */
  sources(nowMs: number): { service: string; instance: string }[] {
    for (const [key, { atMs }] of this.#receivedAtMs) if (nowMs - atMs > SILENT_MS) this.#receivedAtMs.delete(key);
    return [...this.#receivedAtMs.values()].map(({ source }) => source);
  }

  /** Returns the current values of a metric. */
  latest(name: string, nowMs: number): Found[] {
    return this.#live(name, nowMs).map(({ source, labels, readings }) => {
      const { value = 0, bounds = [], counts = [] } = readings.at(-1)?.reading ?? {};
      return { ...source, labels, value, bounds, counts };
    });
  }

  /** Returns how much a metric has grown within the window. */
  increase(name: string, nowMs: number, windowMs: number): Found[] {
    return this.#live(name, nowMs).map(({ source, labels, readings }) => {
      const now = readings.at(-1)?.reading;
      // A series that is younger than the window started at zero.
      const before = readings.findLast(({ atMs }) => nowMs - atMs >= windowMs)?.reading;
      const counts = (now?.counts ?? []).map((count, at) => count - (before?.counts?.[at] ?? 0));
      const value = (now?.value ?? 0) - (before?.value ?? 0);
      return { ...source, labels, value, bounds: now?.bounds ?? [], counts };
    });
  }

  #live(name: string, nowMs: number): Series[] {
    const found: Series[] = [];
    for (const [key, series] of this.#series) {
      const lastMs = series.readings.at(-1)?.atMs ?? 0;
      if (nowMs - lastMs > SILENT_MS) this.#series.delete(key);
      else if (series.name === name) found.push(series);
    }
    return found;
  }
}
