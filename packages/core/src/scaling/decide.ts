import type { AsrModel } from '../resources/asrmodel.ts';
import { countWorkers, settleSlots } from './slots.ts';
import { addPeak } from './state.ts';
import type { ScalingState } from './state.ts';

/** Load that was read longer ago than this is as good as none. */
export const LOAD_STALE_MS = 30_000;
/** Sessions that wait this long beside free slots cannot use them: the workers hang, or gateways avoid them. */
export const STARVED_AFTER_MS = 3000;

export type ScalingSpec = AsrModel['spec']['scaling'];

/** What a pool has to carry: streams, places that were promised, sessions in line. */
export interface ScalingLoad {
  readonly active: number;
  readonly held: number;
  readonly waiting: number;
  /** By the clock that `nowMs` is of. */
  readonly readAtMs: number;
}

export interface ScalingInput {
  readonly spec: ScalingSpec;
  /** Slots of a worker where the model fixes them; 0: what workers measure. */
  readonly fixedSlots: number;
  /** Undefined: it could not be read. */
  readonly load: ScalingLoad | undefined;
  /** Workers that take sessions: neither draining nor still starting. */
  readonly workers: readonly { readonly slots: number; readonly active: number }[];
  /** Workers that run and have not told their slots yet. */
  readonly starting: number;
  readonly state: ScalingState;
  readonly nowMs: number;
}

/** Why a decision is not simply what the load asks for. */
export type ScalingReason = 'LoadUnknown' | 'ScalingLimited' | 'Stabilizing' | 'Idle' | 'Starved' | 'External';

export interface ScalingDecision {
  readonly desired: number;
  readonly reasons: readonly { readonly reason: ScalingReason; readonly message: string }[];
  readonly state: ScalingState;
}

/**
 * Decides how many workers a pool should have.
 *
 * | load                       | desired                                                                      |
 * |----------------------------|------------------------------------------------------------------------------|
 * | unknown, older than 30 s   | as before, or the minimum where that is more: never down (LoadUnknown)       |
 * | asks for more              | at once, up to the maximum (ScalingLimited)                                  |
 * | asks for less              | the most that was wanted within scaleDownDelaySeconds (Stabilizing)          |
 * | none for idleToZeroSeconds | no buffer any more, and what was only buffer holds nothing up (Idle)         |
 * | waits beside free slots    | one worker more (Starved)                                                    |
 *
 * Time that nobody watched (load unknown, the operator away) counts as time in which everything was needed.
 */
export function decideScaling(input: ScalingInput): ScalingDecision {
  const { spec, load, nowMs } = input;
  if (spec.mode === 'External') return followExternal(input);
  if (load === undefined || nowMs - load.readAtMs > LOAD_STALE_MS) return hold(input);
  return followLoad(input, load);
}

function followLoad(input: ScalingInput, load: ScalingLoad): ScalingDecision {
  const { spec, fixedSlots, workers, nowMs } = input;
  const state = nowMs - input.state.decidedAtMs > LOAD_STALE_MS ? unwatched(input) : input.state;
  const windowMs = spec.scaleDownDelaySeconds * 1000;
  const measured = workers.map(({ slots }) => slots);
  const slotsPerWorker = fixedSlots > 0 ? fixedSlots : settleSlots(state.slotsPerWorker, measured);
  const further = slotsPerWorker ?? 1;

  const demand = load.active + load.held + load.waiting;
  const lastDemandMs = demand > 0 ? nowMs : state.lastDemandMs;
  const idle = lastDemandMs === undefined || nowMs - lastDemandMs >= spec.idleToZeroSeconds * 1000;
  const buffer =
    demand === 0 && idle ? 0 : Math.max(spec.bufferSessions, Math.ceil((demand * spec.bufferPercent) / 100));
  // The buffer is counted in settled slots, so that it does not follow every measurement; demand in what is there.
  const forLoad = Math.max(Math.ceil((demand + buffer) / further), countWorkers(demand, measured, further));

  const starvedSinceMs = isStarved(input, load) ? (state.starvedSinceMs ?? nowMs) : undefined;
  const starved = starvedSinceMs !== undefined && nowMs - starvedSinceMs >= STARVED_AFTER_MS;
  const wanted = starved ? Math.max(forLoad, workers.length + 1) : forLoad;

  const neededPeaks =
    demand === 0 && idle ? state.peaks.filter(({ atMs }) => atMs <= (lastDemandMs ?? -Infinity)) : state.peaks;
  const peaks = addPeak(neededPeaks, { atMs: nowMs, workers: wanted }, windowMs);
  const stabilized = peaks[0]?.workers ?? wanted;
  const desired = within(spec, stabilized);

  const reasons: ScalingDecision['reasons'][number][] = [];
  if (forLoad > spec.max) {
    const message = `${demand} sessions and a buffer of ${buffer} need ${forLoad} workers of ${further} slots; scaling.max is ${spec.max}`;
    reasons.push({ reason: 'ScalingLimited', message });
  }
  if (starved) {
    reasons.push({ reason: 'Starved', message: `${load.waiting} sessions wait although slots are free` });
  }
  if (desired > within(spec, wanted)) {
    const message = `${wanted} would do; waiting ${spec.scaleDownDelaySeconds} s before workers are taken away`;
    reasons.push({ reason: 'Stabilizing', message });
  }
  if (demand === 0 && idle) {
    reasons.push({ reason: 'Idle', message: `no demand for ${spec.idleToZeroSeconds} s: no buffer is kept` });
  }
  return {
    desired,
    reasons,
    state: { desired, decidedAtMs: nowMs, slotsPerWorker, lastDemandMs, starvedSinceMs, peaks },
  };
}

function hold(input: ScalingInput): ScalingDecision {
  const { spec, nowMs } = input;
  const desired = Math.max(input.state.desired, spec.min);
  const message = `the load of the pool is not known; ${desired} workers are kept until it is`;
  const state = { ...unwatched(input), desired, decidedAtMs: nowMs };
  return { desired, reasons: [{ reason: 'LoadUnknown', message }], state };
}

function followExternal(input: ScalingInput): ScalingDecision {
  const { spec, nowMs } = input;
  const desired = within(spec, spec.replicas ?? input.state.desired);
  const message = `scaling.mode is External: ${desired} workers, as scaling.replicas says`;
  const state = { ...unwatched(input), desired, decidedAtMs: nowMs };
  return { desired, reasons: [{ reason: 'External', message }], state };
}

/** The state as if everything that is there had been needed until now. */
function unwatched({ state, nowMs }: ScalingInput): ScalingState {
  return {
    ...state,
    lastDemandMs: state.desired > 0 ? nowMs : state.lastDemandMs,
    starvedSinceMs: undefined,
    peaks: [{ atMs: nowMs, workers: state.desired }],
  };
}

/** Whether sessions wait although every worker is up and there are slots for all of them. */
function isStarved({ workers, starting }: ScalingInput, { waiting }: ScalingLoad): boolean {
  const free = workers.reduce((sum, { slots, active }) => sum + Math.max(0, slots - active), 0);
  return waiting > 0 && starting === 0 && free >= waiting;
}

function within({ min, max }: ScalingSpec, workers: number): number {
  return Math.min(max, Math.max(min, workers));
}
