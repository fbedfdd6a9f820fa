import { FunctionsMissing, LedgerUnavailable } from '@svc-asr/ledger';
import type { Ledger, NewWorker } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';

export interface RegistrationParts {
  readonly workers: Pick<Ledger['workers'], 'register' | 'renew' | 'drain' | 'remove'>;
  readonly model: string;
  /** Description of the worker, with the highest number of slots that it can offer. */
  readonly worker: NewWorker;
  /** Number of slots that the worker offers after its start. */
  readonly startSlots: number;
  readonly renewMs: number;
  /** Returns a number that changes while inference makes progress. The lease is renewed only after a change. */
  readonly progress: () => number;
  /** Reads the clock of Redis. Called before each registration and renewal. */
  readonly syncClock: () => Promise<void>;
  /** Called once when the operator asks the worker to drain. */
  readonly onDrain: () => void;
  readonly logger: Logger;
}

/** The registration of a worker in the ledger. */
export interface Registration {
  /**
   * True from each registration until the ledger reports that the lease is lost, or until `stop` is called. It remains
   * true while Redis is unavailable.
   */
  readonly registered: boolean;
  readonly draining: boolean;
  /**
   * Reports to the ledger that the worker drains. The worker then gets no new streams, and its streams count as demand
   * for other workers. Rejects if Redis is unavailable. The report is then repeated before the next renewals.
   */
  drain: () => Promise<void>;
  /**
   * Changes the number of slots that the worker offers. Reports the number to the ledger immediately and with each
   * later renewal.
   */
  resize: (slots: number) => void;
  /** Removes the registration. Resolves when the ledger has removed it. Rejects if Redis is unavailable. */
  stop: () => Promise<void>;
}

/** Longest delay before the retry of a failed renewal or registration. */
const RETRY_MS = 1000;

/**
 * Registers a worker and renews its lease while inference makes progress. If the lease is lost, the worker registers
 * again, unless it drains. Its streams continue after a lost lease and while Redis is unavailable, because gateways
 * keep them open and the ledger still contains their sessions.
 */
export function keepRegistered(parts: RegistrationParts): Registration {
  const { workers, model, worker, logger } = parts;
  let slots = parts.startSlots;
  let registered = false;
  let draining = false;
  /** True if `drain` was called and the ledger has not confirmed the report yet. */
  let isDrainUnreported = false;
  let stopped = false;
  let seen: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const failures = createFailureLog(logger);

  async function turn(): Promise<void> {
    const progress = parts.progress();
    if (progress === seen) {
      logger.warn({ reason: 'inference makes no progress' }, 'the lease is not renewed');
      return;
    }
    seen = progress;
    // Does not wait for the time of Redis. Redis answers in order, so the time arrives before the answer to the
    // registration. If the call fails, the worker uses its own clock.
    parts.syncClock().catch(() => undefined);
    // Renews the lease even if the report of the drain fails, because the worker still serves its streams.
    if (isDrainUnreported) await reportDrain().catch((err: unknown) => logDrainFailure(err, logger));
    if (registered) {
      const result = await workers.renew(model, worker.id, slots);
      if (result === 'draining') drain();
      if (result !== 'gone') return;
      registered = false;
      logger.warn({ reason: worker.id }, 'the lease was lost');
    }
    // The ledger has deleted the drain mark together with the lease. If a draining worker registered again, it would
    // get new streams.
    if (draining) return;
    await workers.register(model, { ...worker, slots, measuredSlots: worker.slots });
    registered = true;
    logger.info({ reason: worker.id, amount: slots }, 'registered');
  }

  function drain(): void {
    if (draining) return;
    draining = true;
    logger.info({ reason: worker.id }, 'drain requested');
    parts.onDrain();
  }

  async function reportDrain(): Promise<void> {
    await workers.drain(model, worker.id);
    isDrainUnreported = false;
  }

  async function loop(): Promise<void> {
    let nextMs = parts.renewMs;
    try {
      await turn();
      failures.clear();
    } catch (err) {
      nextMs = Math.min(RETRY_MS, parts.renewMs);
      failures.add(err);
    }
    if (!stopped) timer = setTimeout(() => void (current = loop()), nextMs);
  }

  let current = loop();
  return {
    get registered() {
      return registered;
    },
    get draining() {
      return draining;
    },
    drain: async () => {
      if (draining) return;
      draining = isDrainUnreported = true;
      await reportDrain();
    },
    resize: (next) => {
      slots = next;
      // A worker whose inference makes no progress must not renew its lease. If this renewal fails, the next renewal
      // contains the new number too.
      if (registered && !stopped && parts.progress() !== seen)
        workers.renew(model, worker.id, slots).catch(() => undefined);
    },
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await current;
      // The worker is removed even if no registration was confirmed, because a registration may have reached Redis.
      registered = false;
      await workers.remove(model, worker.id);
    },
  };
}

/**
 * Creates a log of failed renewals. It warns only once that functions of the ledger are missing. After `clear`, it can
 * warn again.
 */
function createFailureLog(logger: Logger): { add: (err: unknown) => void; clear: () => void } {
  let isMissingReported = false;
  return {
    add: (err) => {
      if (err instanceof FunctionsMissing && !isMissingReported) {
        isMissingReported = true;
        logger.warn({ err }, 'the worker cannot register yet and retries');
      }
      // If Redis is unavailable, nothing is logged here, because the Redis connection already logs this once.
      if (!(err instanceof LedgerUnavailable)) logger.error({ err }, 'the lease could not be renewed');
    },
    clear: () => {
      isMissingReported = false;
    },
  };
}

function logDrainFailure(err: unknown, logger: Logger): void {
  // Nothing is logged if Redis is unavailable, because the Redis connection already logs this.
  if (err instanceof LedgerUnavailable && !(err instanceof FunctionsMissing)) return;
  logger.warn({ err }, 'the drain could not be reported yet');
}
