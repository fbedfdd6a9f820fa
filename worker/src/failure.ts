import type { Logger } from '@svc-asr/runtime';
import type { Registration } from './registration/registration.ts';
import type { Relay } from './server/relay.ts';

/** How long gateways may take to hear of it; they notice a closed socket anyway. */
const LAST_WORDS_MS = 1000;

export interface FailingParts {
  readonly relay: Pick<Relay, 'refuse' | 'emptied'>;
  readonly registration: Pick<Registration, 'stop'>;
  readonly logger: Logger;
}

/**
 * Ends a worker whose engine is gone; its supervisor starts another. Every stream has had its error by now, and the
 * place in the ledger is given up so that none is sent here meanwhile.
 */
export async function endWith(
  err: Error,
  { relay, registration, logger }: FailingParts,
  exit: (code: number) => void = (code) => process.exit(code),
): Promise<void> {
  logger.fatal({ err }, 'the engine failed');
  relay.refuse();
  const left = registration.stop().catch(() => undefined);
  const timeout = new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS));
  await Promise.race([Promise.all([relay.emptied(LAST_WORDS_MS), left]), timeout]);
  exit(1);
}
