import { slowdownAt } from '../engine/slowdown.ts';
import type { RunTotals } from '../engine/shared.ts';
import type { SlotObservation } from './decide.ts';

/** Time over which the slowdown is measured. */
const MINUTE_MS = 60_000;
/**
 * Time over which `recentSlowdown` and `busy` are measured. It is short, because slots must fall quickly while streams
 * are late. If a worker has too many streams, all of them can be late until enough of them have ended or moved.
 */
const RECENT_MS = 2000;
/**
 * The `slowdown` that `add` returns is this quantile of the slowdowns in the last minute. The quantile is high, because
 * the latency targets are for the 95th percentile. The slow runs therefore determine the result. The warm-up also uses
 * its slow runs.
 */
const SLOW_SHARE = 0.9;
/**
 * Least work of the runs of the last minute with which the speed of the machine counts as known, as a part of a minute.
 * The work of a run is the time that the run would have taken at warm-up.
 */
const LEAST_WORK = 0.1;

interface Sample {
  readonly nowMs: number;
  readonly totals: RunTotals;
}

/** Computes slowdowns and the busy time of the last minute from samples of the totals over all runs. */
export class RunHistory {
  readonly #runsOverlap: boolean;
  #samples: Sample[] = [];

  /** `runsOverlap` is true on a GPU. The duration of a run then depends on the load, and not only on the machine. */
  constructor(runsOverlap: boolean) {
    this.#runsOverlap = runsOverlap;
  }

  /** Adds the totals at time `nowMs`. Returns the slowdowns before `nowMs`, and the part of the time that was busy. */
  add(nowMs: number, totals: RunTotals): Pick<SlotObservation, 'slowdown' | 'recentSlowdown' | 'busy'> {
    const now = { nowMs, totals };
    // Keeps one sample that is at least a minute old, as the start of the last minute.
    while ((this.#samples[1]?.nowMs ?? Infinity) <= nowMs - MINUTE_MS) this.#samples.shift();
    this.#samples.push(now);
    const recent = differenceOf(this.#samples.findLast((one) => one.nowMs <= nowMs - RECENT_MS) ?? this.#first, now);
    const minute = differenceOf(this.#first, now);
    const isKnown = !this.#runsOverlap && minute.expectedMs >= LEAST_WORK * MINUTE_MS;
    return {
      slowdown: isKnown ? slowdownAt(minute.slowdowns, SLOW_SHARE) : undefined,
      recentSlowdown: recent.expectedMs > 0 ? recent.busyMs / recent.expectedMs : undefined,
      busy: recent.passedMs > 0 ? Math.min(1, recent.busyMs / recent.passedMs) : 0,
    };
  }

  get #first(): Sample | undefined {
    return this.#samples[0];
  }
}

function differenceOf(from: Sample | undefined, to: Sample) {
  const slowdowns = to.totals.slowdowns.map((weight, bin) => weight - (from?.totals.slowdowns[bin] ?? 0));
  return {
    passedMs: to.nowMs - (from?.nowMs ?? to.nowMs),
    busyMs: to.totals.busyMs - (from?.totals.busyMs ?? 0),
    expectedMs: slowdowns.reduce((sum, weight) => sum + weight, 0),
    slowdowns,
  };
}
