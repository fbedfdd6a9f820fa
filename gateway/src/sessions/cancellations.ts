import type { Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { retryUntilAnswered } from '../retry.ts';

/** Session to cancel, because the request that created it did not return it. */
export interface Cancellation {
  tenant: string;
  sessionId: string;
  attempt: string;
  idempotencyKey: string | undefined;
  model: string;
  reason: string;
  /** Cancels the session for every attempt that holds it, not only for this one. */
  forAll?: boolean;
}

export interface Cancellations {
  /** Cancels now. Retries while Redis is unavailable. */
  add: (cancellation: Cancellation) => void;
  readonly pending: number;
  /** Resolves when no cancellation is pending. */
  settled: () => Promise<void>;
}

/** Cancels reservations whose request was refused or has an unknown outcome. */
export function createCancellations(ledger: Ledger, logger: Logger): Cancellations {
  const pending = new Set<Promise<void>>();

  async function cancel(cancellation: Cancellation): Promise<void> {
    const { model, sessionId } = cancellation;
    const { outcome, sessionId: heldSessionId } = await retryUntilAnswered(() => ledger.sessions.cancel(cancellation));
    // `none` may be the answer to the retry of a cancel that succeeded, so the slot is released in that case too.
    if (outcome === 'cancelled' || outcome === 'none')
      await retryUntilAnswered(() => ledger.pools.release(model, heldSessionId));
    logger.debug({ session_id: sessionId, reason: cancellation.reason, code: outcome }, 'session cancelled');
  }

  return {
    add(cancellation) {
      const { sessionId, tenant, reason } = cancellation;
      const task = cancel(cancellation)
        // Redis rejected the cancel, so a retry would not help. The session ends with its lease or its credential.
        .catch((err: unknown) =>
          logger.error({ err, session_id: sessionId, tenant, reason }, 'session could not be cancelled'),
        )
        .finally(() => pending.delete(task));
      pending.add(task);
    },
    get pending() {
      return pending.size;
    },
    settled: async () => {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}
