import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { RECONCILED_KINDS } from '@svc-asr/core';
import type { ReconciledKind } from '@svc-asr/core';
import type { Logger } from '@svc-asr/runtime';
import { findUnavailable } from '../failure/unavailable.ts';
import type { Notices } from '../notices.ts';
import { systemClock } from '../queue/clock.ts';
import type { ResourceSource } from '../source/source.ts';

export interface StatusRoundsOptions {
  source: Pick<ResourceSource, 'list'>;
  /** Reports the status of one resource. */
  report: (kind: ReconciledKind, name: string) => Promise<void>;
  /** Called when a round of a kind starts. */
  onRound: (kind: ReconciledKind) => void;
  /** Interval of the rounds for each kind. */
  intervalMs: Readonly<Record<ReconciledKind, number>>;
  notices: Notices;
  logger: Logger;
}

/** Maximum number of resources of a kind that are reported at the same time. */
const AT_ONCE = 32;
/**
 * Number of consecutive reports after which a round ends if all of them failed because a dependency was unavailable.
 */
const UNAVAILABLE_LIMIT = 3;
/**
 * Share of the interval over which a round spreads its reports. The rest of the interval gives a slow round time to
 * end.
 */
const SPREAD = 0.9;
/**
 * Number of moments in an interval. Reports start only at these moments. Reports that start together send their Redis
 * commands in one system call. With thousands of resources, one system call for each command would cost more CPU time
 * than the reports.
 */
const MOMENTS = 250;
/** Shortest time that a round sleeps before its next reports. Reports that are due sooner start slightly late. */
const MIN_WAIT_MS = 20;

/**
 * Reports all resources of each kind periodically. Each resource has a fixed place in the interval, so that thousands
 * of them are not read and written in one burst. Rounds of the same kind never overlap; a round that takes longer than
 * the interval delays the next one.
 */
export class StatusRounds {
  readonly #options: StatusRoundsOptions;
  readonly #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: StatusRoundsOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#isStopped()) return;
    this.#running = Promise.all(RECONCILED_KINDS.map((kind) => this.#runRounds(kind)));
  }

  /** Resolves when the running reports have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #runRounds(kind: ReconciledKind): Promise<void> {
    const intervalMs = this.#options.intervalMs[kind];
    let dueMs = systemClock.nowMs() + intervalMs;
    for (;;) {
      await this.#waitUntil(dueMs);
      if (this.#isStopped()) return;
      const startMs = systemClock.nowMs();
      await this.#round(kind, startMs);
      dueMs = startMs + intervalMs;
    }
  }

  async #round(kind: ReconciledKind, startMs: number): Promise<void> {
    const { onRound, notices, logger } = this.#options;
    onRound(kind);
    const failure = await this.#reportAll(kind, startMs);
    if (failure === undefined) {
      notices.clear(`status ${kind}`);
      return;
    }
    const { err } = failure;
    notices.raise(`status ${kind}`, '', () =>
      logger.warn({ err, resource: kind }, `the status of ${kind} resources could not be written; retrying`),
    );
  }

  /** Reports all resources of a kind and returns the last error. A resource that fails does not block the others. */
  async #reportAll(kind: ReconciledKind, startMs: number): Promise<{ err: unknown } | undefined> {
    const { source, report, intervalMs } = this.#options;
    const next = orderByPlace(source.list(kind).map(({ metadata }) => metadata.name)).values();
    let failure: { err: unknown } | undefined;
    let unavailableInARow = 0;
    const work = async () => {
      for (const { name, place } of next) {
        await this.#waitUntil(startMs + (Math.ceil(place * SPREAD * MOMENTS) / MOMENTS) * intervalMs[kind]);
        // If Redis or the API server stays unavailable, the remaining resources would fail too.
        if (this.#isStopped() || unavailableInARow >= UNAVAILABLE_LIMIT) return;
        try {
          await report(kind, name);
          unavailableInARow = 0;
        } catch (err) {
          failure = { err };
          unavailableInARow = findUnavailable(err) === undefined ? 0 : unavailableInARow + 1;
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return failure;
  }

  /** Resolves at the given time, or when the rounds are stopped. */
  async #waitUntil(dueMs: number): Promise<void> {
    const waitMs = dueMs - systemClock.nowMs();
    if (waitMs <= 0) return;
    await sleep(Math.max(MIN_WAIT_MS, waitMs), undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }
}

/**
 * Returns the names with their places in a round, in the order of the places. A place is a number from 0 to 1 that
 * depends only on the name.
 */
export function orderByPlace(names: readonly string[]): { name: string; place: number }[] {
  return names.map((name) => ({ name, place: crc32(name) / 2 ** 32 })).sort((a, b) => a.place - b.place);
}
