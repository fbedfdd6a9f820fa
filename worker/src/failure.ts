import type { Logger } from '@svc-asr/runtime';
import type { Registration } from './registration/registration.ts';
import type { Relay } from './server/relay.ts';

/**
 * Maximum time for the notification of gateways and the ledger. Without a notification, a gateway detects the failure
 * when its socket is closed.
 */
const NOTIFY_TIMEOUT_MS = 1000;

export interface FailingParts {
  /** The models of the worker. */
  readonly services: readonly {
    readonly relay: Pick<Relay, 'refuse' | 'emptied'>;
    readonly registration: Pick<Registration, 'stop'>;
  }[];
  readonly logger: Logger;
}

/**
 * Ends a worker in which a thread has failed, so that the supervisor of the worker starts another one. The engine has
 * already sent the error to every stream. Removes the registrations, so that gateways send no new streams to this
 * worker.
 */
export async function endWith(
  err: Error,
  { services, logger }: FailingParts,
  exit: (code: number) => void = (code) => process.exit(code),
): Promise<void> {
  logger.fatal({ err }, 'a thread of the worker failed');
  for (const { relay } of services) relay.refuse();
  const left = services.map(async ({ relay, registration }) => {
    await Promise.all([relay.emptied(NOTIFY_TIMEOUT_MS), registration.stop().catch(() => undefined)]);
  });
  const timeout = new Promise((resolve) => setTimeout(resolve, NOTIFY_TIMEOUT_MS));
  await Promise.race([Promise.all(left), timeout]);
  exit(1);
}
