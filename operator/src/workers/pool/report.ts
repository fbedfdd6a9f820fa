import type { RolloutDecision, ScalingDecision, ScalingLoad, ScalingReason, ScalingState } from '@svc-asr/core';
import type { Logger } from '@svc-asr/runtime';
import type { Notices } from '../../notices.ts';

/** Logs the decisions and failures of pools. Each change and each lasting condition is logged once. */
export interface PoolReport {
  decided: (model: string, before: ScalingState, decision: ScalingDecision, load: ScalingLoad | undefined) => void;
  rollout: (model: string, before: RolloutDecision | undefined, decision: RolloutDecision) => void;
  draining: (model: string, worker: string) => void;
  /** Reports why no worker can be started. The message is undefined if workers can be started. */
  startFailure: (model: string, message: string | undefined) => void;
  /** Call when a reconcile has failed. */
  failed: (model: string, error: unknown) => void;
  /** Call when a reconcile has succeeded. */
  succeeded: (model: string) => void;
}

/** Scaling reasons that an administrator may have to act on. */
const WARNING_REASONS: readonly ScalingReason[] = ['LoadUnknown', 'ScalingLimited', 'Starved'];

/** Creates the report of all pools. */
export function createPoolReport(notices: Notices, logger: Logger): PoolReport {
  return {
    decided: (model, before, { desired, reasons }, load) => {
      for (const reason of WARNING_REASONS) {
        const found = reasons.find((one) => one.reason === reason);
        const notice = `scaling ${model} ${reason}`;
        if (found === undefined) notices.clear(notice);
        else notices.raise(notice, '', () => logger.warn({ model, reason }, `${model}: ${found.message}`));
      }
      if (desired === before.desired) return;
      const { active = 0, held = 0, waiting = 0, refused = 0 } = load ?? {};
      const reason = reasons.map((one) => one.reason).join(', ');
      const cause = `${active} streams, ${held} reserved, ${waiting} waiting, ${refused} refused`;
      logger.info({ model, reason, amount: desired }, `${model}: ${before.desired} -> ${desired} workers (${cause})`);
    },
    rollout: (model, before, { phase, revision, message }) => {
      if (before === undefined ? phase === 'Steady' : before.phase === phase && before.revision === revision) return;
      logger[phase === 'RolledBack' ? 'warn' : 'info']({ model, reason: phase }, `${model}: ${message}`);
    },
    draining: (model, worker) => logger.info({ model }, `worker ${worker} is draining and accepts no new streams`),
    startFailure: (model, message) => {
      const notice = `workers ${model}`;
      if (message === undefined) {
        notices.clear(notice, () => logger.info({ model }, `${model}: workers can be started again`));
      } else {
        // The message may contain the number of failures, and then changes with each failure. The condition is the same
        // and is logged once.
        notices.raise(notice, '', () =>
          logger.error({ model, reason: message }, `${model}: workers cannot be started: ${message}`),
        );
      }
    },
    failed: (model, error) =>
      notices.raise(`pool ${model}`, String(error), () =>
        logger.error({ model, err: error }, `${model}: the pool could not be reconciled and will be retried`),
      ),
    succeeded: (model) => notices.clear(`pool ${model}`),
  };
}
