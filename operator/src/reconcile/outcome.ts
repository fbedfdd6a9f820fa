import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import type { Instruments } from '../metrics.ts';
import type { Notices } from '../notices.ts';
import type { Outcome } from '../queue/workers.ts';
import { PhaseFailed } from './phases.ts';
import { workKindOf } from './work.ts';
import type { WorkKey } from './work.ts';

/** How a try ended: `unavailable` is not the resource's fault and passes by itself. */
export type Result = 'success' | 'error' | 'unavailable';

/** Tells whose fault a failure is. */
export function resultOf({ error, failures }: Pick<Outcome, 'error' | 'failures'>): Result {
  if (failures === 0) return 'success';
  return causeOf(error) instanceof LedgerUnavailable ? 'unavailable' : 'error';
}

/** Counts and logs every try; an absent Redis is told once, not by each resource that waits for it. */
export function createOutcomeReport(
  instruments: Instruments,
  notices: Notices,
  logger: Logger,
): (outcome: Outcome) => Result {
  return (outcome) => {
    const result = resultOf(outcome);
    const { key, error, failures, durationMs } = outcome;
    instruments.countReconcile(workKindOf(key as WorkKey), result, durationMs);
    switch (result) {
      case 'success':
        notices.clear('redis', () => logger.info('Redis answers again'));
        notices.clear(`failing ${key}`, () => logger.info({ resource: key }, `${key} is well again`));
        break;
      case 'unavailable':
        notices.raise('redis', '', () =>
          logger.warn({ err: error, resource: key }, 'Redis does not answer; what changes is applied when it does'),
        );
        break;
      case 'error':
        notices.raise(`failing ${key}`, String(failures), () =>
          logger.error(
            { err: error, resource: key, amount: failures },
            `${key} could not be applied and is tried again: ${String(error)}`,
          ),
        );
        break;
    }
    return result;
  };
}

function causeOf(error: unknown): unknown {
  return error instanceof PhaseFailed ? error.cause : error;
}
