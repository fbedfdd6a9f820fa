import type { Logger } from '@svc-asr/runtime';
import type { ResourceType } from '@svc-asr/kubernetes';

/** Number of consecutive failures that is logged. Single failures are normal. */
const WARN_FAILURES = 3;

/** Logs when objects cannot be watched, and when they can be watched again. */
export function createWatchReport(
  { kind, plural }: ResourceType,
  logger: Logger,
): (failures: number, error: unknown) => void {
  let warned = false;
  return (failures, err) => {
    const failing = failures >= WARN_FAILURES;
    if (failing === warned) return;
    warned = failing;
    if (failing) logger.warn({ err, resource: kind }, `${plural} cannot be watched; retrying`);
    else logger.info({ resource: kind }, `${plural} are watched again`);
  };
}
