import type { Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { retryUntilAnswered } from '../retry.ts';

/** A session to let go of because its request was not answered with it. */
export interface Cancellation {
  tenant: string;
  sessionId: string;
  attempt: string;
  idempotencyKey: string | undefined;
  model: string;
  reason: string;
  /** Refused for every attempt that holds the session, not only for this one. */
  forAll?: boolean;
}

export interface Cancellations {
  /** Cancels now and, while Redis does not answer, again until it does. */
  add: (cancellation: Cancellation) => void;
  readonly pending: number;
  /** Resolves when none is pending. */
  settled: () => Promise<void>;
}

/** Takes reservations back whose request was refused or whose outcome is unknown. */
export function createCancellations(ledger: Ledger, logger: Logger): Cancellations {
  const pending = new Set<Promise<void>>();

  async function cancel(cancellation: Cancellation): Promise<void> {
    const { model, sessionId } = cancellation;
    const { outcome, sessionId: heldSessionId } = await retryUntilAnswered(() => ledger.sessions.cancel(cancellation));
    // `none` may be the answer to the second try of a cancel that was carried out: the place is let go of all the same.
    if (outcome === 'cancelled' || outcome === 'none')
      await retryUntilAnswered(() => ledger.pools.release(model, heldSessionId));
    logger.debug({ session_id: sessionId, reason: cancellation.reason, code: outcome }, 'a session was let go of');
  }

  return {
    add(cancellation) {
      const { sessionId, tenant, reason } = cancellation;
      const task = cancel(cancellation)
        // Not for want of Redis: asking again would not help. The session ends with its lease or its credential.
        .catch((err: unknown) =>
          logger.error({ err, session_id: sessionId, tenant, reason }, 'a session was not let go of'),
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
