import type { Labels, Reading, Source } from './otlp.ts';

interface Series {
  readonly source: Source;
  readonly name: string;
  readonly labels: Labels;
  /** Oldest first. */
  readings: { atMs: number; reading: Reading }[];
}

/** One series as it is asked for. */
export interface Found extends Source {
  readonly labels: Labels;
  readonly value: number;
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
}

const KEPT_MS = 70_000;
/** A service that has said nothing for so long is gone. */
const SILENT_MS = 8000;

/** What the services told within the last minute. */
export class MetricStore {
  readonly #series = new Map<string, Series>();
  readonly #heardAtMs = new Map<string, { source: Source; atMs: number }>();

  take(source: Source, readings: readonly Reading[], nowMs: number): void {
    this.#heardAtMs.set(`${source.service}|${source.instance}`, { source, atMs: nowMs });
    for (const reading of readings) {
      const { name, labels } = reading;
      const key = `${source.service}|${source.instance}|${name}|${JSON.stringify(labels)}`;
      const series = this.#series.get(key) ?? { source, name, labels, readings: [] };
      series.readings.push({ atMs: nowMs, reading });
      series.readings = series.readings.filter(({ atMs }) => nowMs - atMs <= KEPT_MS);
      this.#series.set(key, series);
    }
  }

  /** The processes that talk to us. */
  sources(nowMs: number): { service: string; instance: string }[] {
    for (const [key, { atMs }] of this.#heardAtMs) if (nowMs - atMs > SILENT_MS) this.#heardAtMs.delete(key);
    return [...this.#heardAtMs.values()].map(({ source }) => source);
  }

  /** The present values of a metric. */
  latest(name: string, nowMs: number): Found[] {
    return this.#live(name, nowMs).map(({ source, labels, readings }) => {
      const { value = 0, bounds = [], counts = [] } = readings.at(-1)?.reading ?? {};
      return { ...source, labels, value, bounds, counts };
    });
  }

  /** How much a metric has grown within a time. */
  increase(name: string, nowMs: number, windowMs: number): Found[] {
    return this.#live(name, nowMs).map(({ source, labels, readings }) => {
      const now = readings.at(-1)?.reading;
      // A series that is younger began at nothing.
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
