import type { Snapshot } from './snapshot.ts';
import type { ShownSession } from './traces.ts';

/** Body of `/data`, which the page loads every second. */
export interface PageData {
  readonly now: Snapshot;
  /** Oldest first. */
  readonly history: readonly Point[];
  /** Newest first. */
  readonly sessions: readonly ShownSession[];
}

/** Values of one moment that the plots draw. Undefined values leave a gap. */
export interface Point {
  readonly atMs: number;
  readonly delta: number | undefined;
  readonly final: number | undefined;
  readonly ready: number | undefined;
  readonly streams: number;
  readonly slots: number;
  readonly waiting: number;
  readonly busy: number | undefined;
  readonly requests: number;
  readonly errors: number;
}

export function toPoint({ atMs, snapshot }: { atMs: number; snapshot: Snapshot }): Point {
  const { latency, models, workers, http } = snapshot;
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  return {
    atMs,
    delta: latency.delta.p95,
    final: latency.final.p95,
    ready: latency.ready.p95,
    streams: total(models.map(({ streams }) => streams)),
    slots: total(models.map(({ slots }) => slots)),
    waiting: total(models.map(({ waiting }) => waiting)),
    busy: workers.length === 0 ? undefined : Math.max(...workers.map(({ busy }) => busy)),
    requests: http.perSecond,
    errors: http.errorsPerSecond,
  };
}
