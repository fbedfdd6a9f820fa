import type { Logger } from '@svc-asr/runtime';
import type { ResourceType } from '@svc-asr/kubernetes';

/** Number of consecutive failures at which a warning is logged. Fewer failures are normal. */
const WARN_FAILURES = 3;

/** Logs when objects cannot be watched, and when they can be watched again. */
export function createWatchReport(
  { kind, plural, clusterScoped }: ResourceType,
  namespace: string | undefined,
  logger: Logger,
): (failures: number, error: unknown) => void {
  const objects = namespace === undefined || clusterScoped === true ? plural : `${plural} of namespace "${namespace}"`;
  let warned = false;
  return (failures, err) => {
    const failing = failures >= WARN_FAILURES;
    if (failing === warned) return;
    warned = failing;
    if (failing) logger.warn({ err, resource: kind }, `${objects} cannot be watched; retrying`);
    else logger.info({ resource: kind }, `${objects} are watched again`);
  };
}
