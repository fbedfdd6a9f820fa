import type { Logger } from '@svc-asr/runtime';
import type { Instruments } from '../metrics.ts';
import type { Notices } from '../notices.ts';
import type { Outcome } from '../queue/workers.ts';
import { findUnavailable } from '../failure/unavailable.ts';
import type { Dependency } from '../failure/unavailable.ts';
import { workKindOf } from './work.ts';
import type { WorkKey } from './work.ts';

/** How a try ended: `unavailable` is not the resource's fault and passes by itself. */
export type Result = 'success' | 'error' | 'unavailable';

/** Tells whose fault a failure is. */
export function resultOf({ error, failures }: Pick<Outcome, 'error' | 'failures'>): Result {
  if (failures === 0) return 'success';
  return findUnavailable(error) === undefined ? 'error' : 'unavailable';
}

/** Without the lead nothing is written, and there is nothing to say about it here. */
const TOLD_AWAY: readonly Dependency[] = ['Redis', 'the ledger', 'the Kubernetes API'];

/** Counts and logs every try; an absent Redis is told once, not by each resource that waits for it. */
export function createOutcomeReport(
  instruments: Pick<Instruments, 'countReconcile'>,
  notices: Notices,
  logger: Logger,
): (outcome: Outcome) => Result {
  /** What waits for each of them. That it is there again is known when one of these succeeds: others may not have asked it. */
  const waiting = new Map<Dependency, Set<string>>();
  const isBack = (key: string) => (away: Dependency) => waiting.get(away)?.has(key) === true;

  return (outcome) => {
    const result = resultOf(outcome);
    const { key, error, failures, durationMs } = outcome;
    instruments.countReconcile(workKindOf(key as WorkKey), result, durationMs);
    switch (result) {
      case 'success':
        for (const away of TOLD_AWAY.filter(isBack(key))) {
          waiting.delete(away);
          const words = away === 'the ledger' ? 'the ledger is there again' : `${away} answers again`;
          notices.clear(`away ${away}`, () => logger.info(words));
        }
        notices.clear(`failing ${key}`, () => logger.info({ resource: key }, `${key} is well again`));
        break;
      case 'unavailable': {
        const away = findUnavailable(error);
        if (away === undefined || !TOLD_AWAY.includes(away)) break;
        waiting.set(away, (waiting.get(away) ?? new Set()).add(key));
        notices.raise(`away ${away}`, '', () =>
          away === 'the ledger'
            ? logger.error(
                { err: error },
                'the ledger is missing: nothing is written to Redis, and gateways answer 503',
              )
            : logger.warn(
                { err: error, resource: key },
                `${away} does not answer; what changes is applied when it does`,
              ),
        );
        break;
      }
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
