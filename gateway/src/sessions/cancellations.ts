import type { Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { retryUntilAnswered } from '../retry.ts';

/** A session to cancel, because the request that reserved the session did not return it to the client. */
export interface Cancellation {
  tenant: string;
  sessionId: string;
  attempt: string;
  idempotencyKey: string | undefined;
  model: string;
  reason: string;
  /** True to cancel the session for all attempts that hold it, and not only for `attempt`. */
  forAll?: boolean;
}

export interface Cancellations {
  /** Cancels a session now. Retries while Redis is unavailable. */
  add: (cancellation: Cancellation) => void;
  readonly pending: number;
  /** Resolves when no cancellation is pending. */
  settled: () => Promise<void>;
}

/**
 * Creates the queue of cancellations. A session is cancelled if its request was refused, or if it is unknown whether
 * the session was created.
 */
export function createCancellations(ledger: Ledger, logger: Logger): Cancellations {
  const pending = new Set<Promise<void>>();

  async function cancel(cancellation: Cancellation): Promise<void> {
    const { model, sessionId } = cancellation;
    const { outcome, sessionId: heldSessionId } = await retryUntilAnswered(() => ledger.sessions.cancel(cancellation));
    // A repeated cancel returns `none` if the first cancel succeeded, so the held slot is released for `none` too.
    if (outcome === 'cancelled' || outcome === 'none')
      await retryUntilAnswered(() => ledger.pools.release(model, heldSessionId));
    logger.debug({ session_id: sessionId, reason: cancellation.reason, code: outcome }, 'session cancelled');
  }

  return {
    add(cancellation) {
      const { sessionId, tenant, reason } = cancellation;
      const task = cancel(cancellation)
        // Redis rejected the cancellation, so a retry would not help. The session ends when its lease or its credential
        // expires.
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
