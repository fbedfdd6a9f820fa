import type { AsrModel } from '../resources/asrmodel.ts';
import { countWorkers, settleSlots } from './slots.ts';
import { addPeak } from './state.ts';
import type { ScalingState } from './state.ts';

/** Age above which a load counts as unknown. */
export const LOAD_STALE_MS = 30_000;
/**
 * Time for which sessions wait although slots are free, before one more worker is started. The sessions cannot use the
 * free slots, because workers hang or gateways avoid them.
 */
export const STARVED_AFTER_MS = 3000;

export type ScalingSpec = AsrModel['spec']['scaling'];

/**
 * Load of a pool: running streams, reserved sessions that have not connected yet, queued sessions, and sessions that
 * were refused a moment ago.
 */
export interface ScalingLoad {
  readonly active: number;
  readonly held: number;
  readonly waiting: number;
  /** Sessions that were recently refused for lack of capacity. Their clients are expected to retry. */
  readonly refused: number;
  /** Time at which the load was read, by the same clock as `nowMs`. */
  readonly readAtMs: number;
}

/** A worker that accepts sessions. */
export interface ScalingWorker {
  /** Slots that the worker offers now. */
  readonly slots: number;
  /** Slots that the worker measured at its start. Equal to `slots` if omitted. */
  readonly measuredSlots?: number;
  readonly active: number;
}

export interface ScalingInput {
  readonly spec: ScalingSpec;
  /** Slots of a worker if the model specifies them. 0 if workers measure them. */
  readonly fixedSlots: number;
  /** Load of the pool. Undefined if it could not be read. */
  readonly load: ScalingLoad | undefined;
  /** Workers that accept sessions. Draining and starting workers are not included. */
  readonly workers: readonly ScalingWorker[];
  /** Number of workers that run and have not reported their slots yet. */
  readonly starting: number;
  /** Number of starting workers that can be expected to accept sessions. 0 if they fail to start. */
  readonly arriving: number;
  readonly state: ScalingState;
  /** Unit of the decision, `workers` by default. With `slots`, `fixedSlots` must be 1. */
  readonly unit?: 'workers' | 'slots';
  readonly nowMs: number;
}

/** Reason why a decision differs from the need of the current load. */
export type ScalingReason =
  | 'LoadUnknown'
  | 'ScalingLimited'
  | 'Stabilizing'
  | 'Idle'
  | 'Starved'
  | 'External'
  | 'Measuring';

export interface ScalingDecision {
  readonly desired: number;
  readonly reasons: readonly { readonly reason: ScalingReason; readonly message: string }[];
  readonly state: ScalingState;
  /** Desired number of workers by tier. Absent if the model has no tiers. */
  readonly tiers?: ReadonlyMap<string, number>;
}

/**
 * Decides how many workers a pool should have.
 *
 * | load                               | desired                                                             |
 * |------------------------------------|---------------------------------------------------------------------|
 * | unknown or older than 30 s         | as before, but at least the minimum (LoadUnknown)                   |
 * | needs more workers                 | the need, immediately, up to the maximum (ScalingLimited)           |
 * | needs fewer workers                | the highest need within scaleDownDelaySeconds (Stabilizing)         |
 * | no demand for idleToZeroSeconds    | the minimum, without a buffer (Idle)                                |
 * | sessions wait, but slots are free  | one more worker (Starved)                                           |
 * | needs workers, slots are unknown   | one worker, which measures them (Measuring)                         |
 * | no demand, first worker starting   | one worker. Its node takes minutes to start and may be ready soon   |
 *
 * A period without a known load, or without decisions, counts as if every worker had been needed.
 */
export function decideScaling(input: ScalingInput): ScalingDecision {
  const { spec, load, nowMs } = input;
  if (spec.mode === 'External') return followExternal(input);
  if (load === undefined || nowMs - load.readAtMs > LOAD_STALE_MS) return hold(input);
  return followLoad(input, load);
}

function followLoad(input: ScalingInput, load: ScalingLoad): ScalingDecision {
  const { spec, fixedSlots, workers, unit = 'workers', nowMs } = input;
  const state = nowMs - input.state.decidedAtMs > LOAD_STALE_MS ? unwatched(input) : input.state;
  const windowMs = spec.scaleDownDelaySeconds * 1000;
  const offered = workers.map(({ slots }) => slots);
  const measured = workers.map(({ slots, measuredSlots = slots }) => measuredSlots);
  const slotsPerWorker = fixedSlots > 0 ? fixedSlots : settleSlots(state.slotsPerWorker, measured);

  const demand = countDemand(load);
  const isFirstArriving = workers.length === 0 && input.arriving > 0;
  const lastDemandMs = demand > 0 || isFirstArriving ? nowMs : state.lastDemandMs;
  const idle = lastDemandMs === undefined || nowMs - lastDemandMs >= spec.idleToZeroSeconds * 1000;
  const buffer =
    demand === 0 && idle ? 0 : Math.max(spec.bufferSessions, Math.ceil((demand * spec.bufferPercent) / 100));
  const forLoad = Math.max(isFirstArriving ? 1 : 0, countNeeded({ demand, buffer, offered, slotsPerWorker }));

  const starvedSinceMs = isStarved(input, load) ? (state.starvedSinceMs ?? nowMs) : undefined;
  const starved = starvedSinceMs !== undefined && nowMs - starvedSinceMs >= STARVED_AFTER_MS;
  const present = unit === 'slots' ? offered.reduce((sum, slots) => sum + slots, 0) : workers.length;
  const wanted = starved ? Math.max(forLoad, present + 1) : forLoad;

  const neededPeaks =
    demand === 0 && idle ? state.peaks.filter(({ atMs }) => atMs <= (lastDemandMs ?? -Infinity)) : state.peaks;
  const peaks = addPeak(neededPeaks, { atMs: nowMs, workers: wanted }, windowMs);
  const stabilized = peaks[0]?.workers ?? wanted;
  const desired = within(spec, stabilized);

  const reasons: ScalingDecision['reasons'][number][] = [];
  if (forLoad > spec.max) {
    const size = slotsPerWorker === undefined ? '' : ` of ${slotsPerWorker} slots${describeOffer(offered, measured)}`;
    const message = `${demand} sessions and a buffer of ${buffer} need ${forLoad} workers${size}; scaling.max is ${spec.max}`;
    reasons.push({ reason: 'ScalingLimited', message });
  }
  if (slotsPerWorker === undefined && demand > 0) {
    reasons.push({ reason: 'Measuring', message: 'the slots of a worker are unknown until the first one has started' });
  }
  if (starved) {
    reasons.push({ reason: 'Starved', message: `${load.waiting} sessions wait although slots are free` });
  }
  if (desired > within(spec, wanted)) {
    const message = `${wanted} ${unit} would be enough; waiting ${spec.scaleDownDelaySeconds} s before workers are removed`;
    reasons.push({ reason: 'Stabilizing', message });
  }
  if (demand === 0 && idle) {
    reasons.push({ reason: 'Idle', message: `no demand for ${spec.idleToZeroSeconds} s, so no buffer is kept` });
  }
  return {
    desired,
    reasons,
    state: { desired, decidedAtMs: nowMs, slotsPerWorker, lastDemandMs, starvedSinceMs, peaks },
  };
}

/** Returns the part of a message that explains why more workers are needed than the measured slots suggest. */
function describeOffer(offered: readonly number[], measured: readonly number[]): string {
  const [now, full] = [offered, measured].map((each) => each.reduce((sum, slots) => sum + slots, 0));
  return now === full ? '' : ` (ready workers offer ${now} of ${full} slots now)`;
}

/** Returns the number of sessions that need a slot. */
export function countDemand({ active, held, waiting, refused }: ScalingLoad): number {
  return active + held + waiting + refused;
}

/**
 * Returns the number of workers for the demand and the buffer. Returns at most one while the slots of a worker are
 * unknown.
 */
function countNeeded(input: {
  demand: number;
  buffer: number;
  offered: readonly number[];
  slotsPerWorker: number | undefined;
}): number {
  const { demand, buffer, offered, slotsPerWorker } = input;
  if (slotsPerWorker === undefined) return Math.min(1, demand + buffer);
  // The demand and the buffer are divided by the expected slots, which do not change with every measurement. The demand
  // alone must also fit into the slots that workers offer now.
  return Math.max(Math.ceil((demand + buffer) / slotsPerWorker), countWorkers(demand, offered, slotsPerWorker));
}

function hold(input: ScalingInput): ScalingDecision {
  const { spec, unit = 'workers', nowMs } = input;
  const desired = Math.max(input.state.desired, spec.min);
  const message = `the load of the pool is unknown; keeping ${desired} ${unit}`;
  const state = { ...unwatched(input), desired, decidedAtMs: nowMs };
  return { desired, reasons: [{ reason: 'LoadUnknown', message }], state };
}

function followExternal(input: ScalingInput): ScalingDecision {
  const { spec, nowMs } = input;
  const desired = within(spec, spec.replicas ?? input.state.desired);
  const message = `scaling.mode is External; scaling.replicas requires ${desired} workers`;
  const state = { ...unwatched(input), desired, decidedAtMs: nowMs };
  return { desired, reasons: [{ reason: 'External', message }], state };
}

/** Returns the state as if every current worker had been needed until now. */
function unwatched({ state, nowMs }: ScalingInput): ScalingState {
  return {
    ...state,
    lastDemandMs: state.desired > 0 ? nowMs : state.lastDemandMs,
    starvedSinceMs: undefined,
    peaks: [{ atMs: nowMs, workers: state.desired }],
  };
}

/** Returns whether sessions wait although no worker is starting and there are enough free slots for them. */
function isStarved({ workers, starting }: ScalingInput, { waiting }: ScalingLoad): boolean {
  const free = workers.reduce((sum, { slots, active }) => sum + Math.max(0, slots - active), 0);
  return waiting > 0 && starting === 0 && free >= waiting;
}

function within({ min, max }: ScalingSpec, workers: number): number {
  return Math.min(max, Math.max(min, workers));
}
