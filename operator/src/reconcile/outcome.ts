import type { Logger } from '@svc-asr/runtime';
import type { Instruments } from '../metrics.ts';
import type { Notices } from '../notices.ts';
import type { Outcome } from '../queue/workers.ts';
import { findUnavailable } from '../failure/unavailable.ts';
import type { Dependency } from '../failure/unavailable.ts';
import { workersModelOf, workKindOf } from './work.ts';
import type { WorkKey } from './work.ts';

/**
 * Result of an attempt. `unavailable` means that a dependency was unavailable. It is not logged as a failure of the
 * resource.
 */
export type Result = 'success' | 'error' | 'unavailable';

/** Classifies the result of an attempt. */
export function resultOf({ error, failures }: Pick<Outcome, 'error' | 'failures'>): Result {
  if (failures === 0 && error === undefined) return 'success';
  return findUnavailable(error) === undefined ? 'error' : 'unavailable';
}

/** Dependencies whose unavailability is logged here. The loss of leadership is logged where it is detected. */
const LOGGED_DEPENDENCIES: readonly Dependency[] = ['Redis', 'the ledger', 'the Kubernetes API'];

/**
 * Counts every attempt, and logs failures and recoveries. An unavailable dependency is logged once, and not for each
 * resource that waits for it.
 */
export function createOutcomeReport(
  instruments: Pick<Instruments, 'countReconcile'>,
  notices: Notices,
  logger: Logger,
): (outcome: Outcome) => Result {
  /**
   * Keys that wait for each dependency. Only a success of one of these keys shows that the dependency is available
   * again, because other keys may not need the dependency.
   */
  const waiting = new Map<Dependency, Set<string>>();
  const waitedFor = (key: string) => (dependency: Dependency) => waiting.get(dependency)?.has(key) === true;

  return (outcome) => {
    const result = resultOf(outcome);
    const { key, error, failures, durationMs } = outcome;
    instruments.countReconcile(workKindOf(key as WorkKey), result, durationMs);
    switch (result) {
      case 'success':
        for (const dependency of LOGGED_DEPENDENCIES.filter(waitedFor(key))) {
          waiting.delete(dependency);
          const message =
            dependency === 'the ledger' ? 'the ledger is available again' : `${dependency} is available again`;
          notices.clear(`unavailable ${dependency}`, () => logger.info(message));
        }
        notices.clear(`failing ${key}`, () =>
          logger.info({ resource: key }, `${key} was applied after earlier failures`),
        );
        break;
      case 'unavailable': {
        const dependency = findUnavailable(error);
        if (dependency === undefined || !LOGGED_DEPENDENCIES.includes(dependency)) break;
        waiting.set(dependency, (waiting.get(dependency) ?? new Set()).add(key));
        notices.raise(`unavailable ${dependency}`, '', () =>
          dependency === 'the ledger'
            ? logger.error(
                { err: error },
                'the ledger is missing; nothing is written to Redis, and gateways answer 503',
              )
            : logger.warn(
                { err: error, resource: key },
                `${dependency} is unavailable; changes are applied when it is back`,
              ),
        );
        break;
      }
      case 'error':
        // The API server rejects the workers of an invalid model at each retry. For the key of a model's workers, an
        // error is therefore logged only when it changes. Other errors are logged at each attempt.
        notices.raise(
          `failing ${key}`,
          workersModelOf(key as WorkKey) === undefined ? String(failures) : String(error),
          () =>
            logger.error(
              { err: error, resource: key, amount: failures },
              `${key} could not be applied; retrying: ${String(error)}`,
            ),
        );
        break;
    }
    return result;
  };
}
