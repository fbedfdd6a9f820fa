import type { RolloutDecision, ScalingDecision, ScalingLoad, ScalingReason, ScalingState } from '@svc-asr/core';
import type { Logger } from '@svc-asr/runtime';
import type { Notices } from '../../notices.ts';

/** Tells people what happens to a pool and why: each change once, each lasting condition once. */
export interface PoolReport {
  decided: (model: string, before: ScalingState, decision: ScalingDecision, load: ScalingLoad | undefined) => void;
  rollout: (model: string, before: RolloutDecision | undefined, decision: RolloutDecision) => void;
  draining: (model: string, worker: string) => void;
  /** Why no worker can be started; undefined: nothing is wrong. */
  startFailure: (model: string, reason: string | undefined) => void;
  failed: (model: string, error: unknown) => void;
  well: (model: string) => void;
}

/** Conditions that somebody may have to do something about. */
const WORTH_A_WARNING: readonly ScalingReason[] = ['LoadUnknown', 'ScalingLimited', 'Starved'];

/** Makes the report of all pools. */
export function createPoolReport(notices: Notices, logger: Logger): PoolReport {
  return {
    decided: (model, before, { desired, reasons }, load) => {
      for (const reason of WORTH_A_WARNING) {
        const found = reasons.find((one) => one.reason === reason);
        const notice = `scaling ${model} ${reason}`;
        if (found === undefined) notices.clear(notice);
        else notices.raise(notice, '', () => logger.warn({ model, reason }, `${model}: ${found.message}`));
      }
      if (desired === before.desired) return;
      const { active = 0, held = 0, waiting = 0 } = load ?? {};
      const reason = reasons.map((one) => one.reason).join(', ');
      const why = `${active} streams, ${held} reserved, ${waiting} waiting`;
      logger.info({ model, reason, amount: desired }, `${model}: ${before.desired} -> ${desired} workers (${why})`);
    },
    rollout: (model, before, { phase, revision, message }) => {
      if (before === undefined ? phase === 'Steady' : before.phase === phase && before.revision === revision) return;
      logger[phase === 'RolledBack' ? 'warn' : 'info']({ model, reason: phase }, `${model}: ${message}`);
    },
    draining: (model, worker) => logger.info({ model }, `worker ${worker} drains: it gets no new streams`),
    startFailure: (model, reason) => {
      const notice = `workers ${model}`;
      if (reason === undefined) {
        notices.clear(notice, () => logger.info({ model }, `${model}: workers start again`));
      } else {
        // Each further failure changes the text; the condition is the same.
        notices.raise(notice, '', () => logger.error({ model, reason }, `${model} cannot have workers: ${reason}`));
      }
    },
    failed: (model, error) =>
      notices.raise(`pool ${model}`, String(error), () =>
        logger.error({ model, err: error }, `the pool of ${model} could not be looked after and is tried again`),
      ),
    well: (model) => notices.clear(`pool ${model}`),
  };
}
