import type { Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';

/** A session to let go of because its request was not answered with it. */
export interface Cancellation {
  tenant: string;
  sessionId: string;
  attempt: string;
  idempotencyKey: string | undefined;
  model: string;
  reason: string;
}

export interface Cancellations {
  /** Cancels now and, while Redis does not answer, again until it does. */
  add: (cancellation: Cancellation) => void;
  readonly pending: number;
  /** Resolves when none is pending. */
  settled: () => Promise<void>;
}

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1000;

/** Takes reservations back whose request was refused or whose outcome is unknown. */
export function createCancellations(ledger: Ledger, logger: Logger): Cancellations {
  const pending = new Set<Promise<void>>();

  async function work(cancellation: Cancellation): Promise<void> {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      try {
        const outcome = await ledger.sessions.cancel(cancellation);
        if (outcome === 'cancelled') await ledger.pools.release(cancellation.model, cancellation.sessionId);
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  }

  return {
    add(cancellation) {
      const { sessionId, tenant, reason } = cancellation;
      logger.debug({ session_id: sessionId, tenant, reason }, 'cancelling a session');
      const task = work(cancellation).finally(() => pending.delete(task));
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
