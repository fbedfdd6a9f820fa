/** Limits within which a worker changes its slots. */
export interface SlotLimits {
  /** Number of streams that the engine can serve if its runs take as long as in the warm-up. */
  readonly measured: number;
  /**
   * Part of the machine's time that the engine may use. The runs of other models use the remaining time, so a slowdown
   * of this engine by the factor `1 / share` is normal.
   */
  readonly share: number;
  readonly least: number;
  /** Slots that the worker offers while its speed under load is unknown. */
  readonly start: number;
  readonly most: number;
}

/** Observations of a worker from which its slots are decided. */
export interface SlotObservation {
  readonly nowMs: number;
  /**
   * Slowdown of slow runs in the last minute, compared with the warm-up. Undefined if there were too few runs, or if
   * runs overlap.
   */
  readonly slowdown: number | undefined;
  /** Mean slowdown of the runs in the last seconds. Undefined if there were no runs. */
  readonly recentSlowdown: number | undefined;
  /** Part of the time in which the inference thread ran batches during the last seconds, from 0 to 1. */
  readonly busy: number;
  /** Number of streams that hold a slot. */
  readonly streams: number;
  /** Number of streams whose next window is late now. */
  readonly lateStreams: number;
}

export interface SlotState {
  readonly slots: number;
  readonly changedAtMs: number;
  /** Time of the last observation in which late streams counted (see `decideSlots`). */
  readonly lateAtMs: number;
}

/** Share of late streams above which the worker has too many streams. */
const LATE_SHARE = 0.1;
/** Lowest value of `busy` at which late streams show that the worker has too many streams. */
const BUSY = 0.5;
/** Slots fall only if the goal (see `decideSlots`) is lower than the slots by more than this part of the slots. */
const TOLERANCE = 0.05;
/** Part of the measured slots by which slots rise in one step. */
const RAISE = 0.05;
/** Time between two steps in which slots rise. */
const RAISE_EVERY_MS = 5000;
/** Time without late streams that must pass before slots rise. */
const QUIET_MS = 15_000;
/** Share of the slots that streams must use before slots rise above `SlotLimits.start`. */
const USED_SHARE = 0.8;
/**
 * Largest part of the time for which the inference thread is expected to be busy if every slot has a stream. It limits
 * how far slots rise above `start`. The expected part is extrapolated from the present streams. The real part is
 * usually lower, because runs of full batches take less time per window. The remaining time absorbs a slowdown.
 */
const MAX_BUSY = 0.7;
/** Factor by which the number of slots is multiplied in one step if streams are late although runs are fast enough. */
const LATE_FACTOR = 0.9;
/** Time between two steps that multiply the number of slots by LATE_FACTOR. */
const LATE_EVERY_MS = 3000;

/** Duration after the last late stream during which all streams that exceed the slots should move to other workers. */
const LATE_MS = 60_000;

export function initialSlots(slots: number): SlotState {
  return { slots, changedAtMs: -Infinity, lateAtMs: -Infinity };
}

/**
 * Decides how many slots a worker offers. The goal is the number of measured slots divided by the slowdown of the last
 * minute. A slowdown that other models on the worker explain (`share`) does not count.
 *
 * | observation                     | slots                                                                        |
 * |---------------------------------|------------------------------------------------------------------------------|
 * | goal more than 5 % below slots  | fall to the goal in one step                                                 |
 * | late streams                    | fall to the goal of the last seconds, if that is lower                       |
 * | late streams, slots at the goal | fall by a tenth every 3 s, unless there are more streams than slots          |
 * | goal above slots                | rise by 5 % of the measured slots every 5 s, after 15 s without late streams |
 * | unknown slowdown                | the goal is `start`                                                          |
 *
 * Late streams count only if they are more than a tenth of all streams. In addition, the inference thread must be busy
 * for at least half of the time.
 *
 * Slots rise above `start` only while streams use 80 % of them. The speed of a machine with little load does not show
 * its speed under full load. Above `start`, slots rise only up to the number of streams that would keep the inference
 * thread busy for 70 % of the time.
 */
export function decideSlots(state: SlotState, seen: SlotObservation, limits: SlotLimits): SlotState {
  const { nowMs, streams, busy } = seen;
  const { slots, changedAtMs } = state;
  const within = (value: number) => Math.min(limits.most, Math.max(limits.least, Math.floor(value)));
  const isLate = busy >= BUSY && seen.lateStreams > LATE_SHARE * streams;
  const lateAtMs = isLate ? nowMs : state.lateAtMs;
  const slowdown = Math.max(seen.slowdown ?? 0, isLate ? (seen.recentSlowdown ?? 0) : 0);
  const goal = slowdown === 0 ? limits.start : limits.measured / (slowdown * limits.share);
  const changeTo = (value: number): SlotState => {
    const next = within(value);
    return { slots: next, changedAtMs: next === slots ? changedAtMs : nowMs, lateAtMs };
  };
  if (goal < slots * (1 - TOLERANCE)) return changeTo(goal);
  if (isLate && streams <= slots && nowMs - changedAtMs >= LATE_EVERY_MS) return changeTo(slots * LATE_FACTOR);
  const mayRise = nowMs - changedAtMs >= RAISE_EVERY_MS && nowMs - lateAtMs >= QUIET_MS;
  const byTime = streams >= USED_SHARE * slots && busy > 0 ? (streams * MAX_BUSY) / busy : 0;
  const highest = Math.min(goal, Math.max(limits.start, byTime));
  if (mayRise && within(highest) > slots) {
    return changeTo(Math.min(highest, slots + Math.max(1, RAISE * limits.measured)));
  }
  return { ...state, lateAtMs };
}

/**
 * Returns the share of the streams that should move to other workers, from 0 to 1. If streams were late recently, the
 * streams that exceed the slots should move. Otherwise the machine may be able to serve more streams than slots,
 * because slots fall while streams send no audio and rise slowly afterwards. In this case, only those streams should
 * move that exceed the number that the machine can serve at its speed of the last minute. No stream should move if that
 * speed is unknown, or if only a few streams exceed the limit. A move costs more than a small delay.
 */
export function excessShare({ slots, lateAtMs }: SlotState, seen: SlotObservation, limits: SlotLimits): number {
  const { nowMs, streams, slowdown } = seen;
  const bySpeed = slowdown === undefined ? Infinity : limits.measured / (slowdown * limits.share);
  const room = nowMs - lateAtMs < LATE_MS ? slots : Math.max(slots, bySpeed);
  return streams > room / (1 - TOLERANCE) ? (streams - room) / streams : 0;
}
