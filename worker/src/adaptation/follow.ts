import type { Logger } from '@svc-asr/runtime';
import type { Engine } from '../engine/engine.ts';
import { decideSlots, excessShare, initialSlots } from './decide.ts';
import type { SlotLimits } from './decide.ts';
import { RunHistory } from './history.ts';

/** Interval between two decisions. */
const DECIDE_MS = 1000;

export interface FollowParts {
  readonly engine: Pick<Engine, 'usedSlots' | 'lateStreams' | 'runTotals'>;
  readonly limits: SlotLimits;
  /** True on a GPU, where a run can start before the previous run has ended. */
  readonly runsOverlap: boolean;
  /** Called when the slots have changed. */
  readonly onChange: (slots: number) => void;
  /**
   * Called every second while the machine is too slow for all streams, so that some should move to other workers.
   * `share` is the share of the streams that should move, from 0 to 1 (see `excessShare`).
   */
  readonly onExcess: (share: number) => void;
  readonly logger: Pick<Logger, 'info'>;
}

/** The number of slots of a worker, which adapts to the speed of the machine. */
export interface SlotFollower {
  /** Slots that the worker offers now. */
  readonly slots: number;
  stop: () => void;
}

/** Decides every second how many slots a worker offers. */
export function followSpeed(parts: FollowParts): SlotFollower {
  const { engine, limits, runsOverlap, onChange, onExcess, logger } = parts;
  const history = new RunHistory(runsOverlap);
  let state = initialSlots(limits.start);
  const decide = () => {
    const nowMs = performance.now();
    const past = history.add(nowMs, engine.runTotals);
    const seen = { nowMs, ...past, streams: engine.usedSlots, lateStreams: engine.lateStreams };
    const before = state.slots;
    state = decideSlots(state, seen, limits);
    const excess = excessShare(state, seen, limits);
    if (excess > 0) onExcess(excess);
    if (state.slots === before) return;
    const slowdown = past.slowdown?.toFixed(2) ?? 'unknown';
    const reason = `${before} before; slowdown ${slowdown}, ${seen.lateStreams} of ${seen.streams} streams late`;
    logger.info({ amount: state.slots, reason }, state.slots < before ? 'slots lowered' : 'slots raised');
    onChange(state.slots);
  };
  const timer = setInterval(decide, DECIDE_MS);
  return {
    get slots() {
      return state.slots;
    },
    stop: () => clearInterval(timer),
  };
}
