import type { Logger } from '@svc-asr/runtime';
import type { ResourceType } from '@svc-asr/kubernetes';

/** Single failures pass; more are told. */
const WARN_FAILURES = 3;

/** Tells when objects cannot be followed, and when they can be again. */
export function createWatchReport(
  { kind, plural }: ResourceType,
  logger: Logger,
): (failures: number, error: unknown) => void {
  let warned = false;
  return (failures, err) => {
    const failing = failures >= WARN_FAILURES;
    if (failing === warned) return;
    warned = failing;
    if (failing) logger.warn({ err, resource: kind }, `${plural} cannot be watched; it is tried again`);
    else logger.info({ resource: kind }, `${plural} are watched again`);
  };
}
