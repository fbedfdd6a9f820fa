import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Ledger, NewWorker } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';

export interface RegistrationParts {
  readonly workers: Pick<Ledger['workers'], 'register' | 'renew' | 'remove'>;
  readonly model: string;
  readonly worker: NewWorker;
  /** Streams that it has now. */
  readonly active: () => number;
  readonly renewMs: number;
  /** Changes while inference makes progress; no change, no sign of life. */
  readonly progress: () => number;
  /** An operator wants the worker to go; called once. */
  readonly onDrain: () => void;
  readonly logger: Logger;
}

/** A worker's place in the ledger. */
export interface Registration {
  /** True from the first registration until the ledger says otherwise; Redis may be away meanwhile. */
  readonly registered: boolean;
  readonly draining: boolean;
  /** Gives up the place; resolves when it is gone or Redis did not answer. */
  stop: () => Promise<void>;
}

/** How soon something is tried again that Redis did not answer. */
const RETRY_MS = 1000;

/**
 * Registers a worker and keeps its lease for as long as inference makes progress. A lease that was lost is taken anew,
 * with the streams as they are, since their gateways keep them. Redis away changes nothing for streams.
 */
export function keepRegistered(parts: RegistrationParts): Registration {
  const { workers, model, worker, logger } = parts;
  let registered = false;
  let draining = false;
  let stopped = false;
  let seen: number | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function turn(): Promise<void> {
    const progress = parts.progress();
    if (progress === seen) {
      logger.warn({ reason: 'inference makes no progress' }, 'the lease is not renewed');
      return;
    }
    seen = progress;
    if (registered) {
      const standing = await workers.renew(model, worker.id);
      if (standing === 'ok') return;
      if (standing === 'draining') {
        drain();
        return;
      }
      registered = false;
      logger.warn({ reason: worker.id }, 'the lease was lost');
    }
    // The mark went with the lease; to register again would invite new streams.
    if (draining) return;
    await workers.register(model, { ...worker, active: parts.active() });
    registered = true;
    logger.info({ reason: worker.id, amount: worker.slots }, 'registered');
  }

  function drain(): void {
    if (draining) return;
    draining = true;
    logger.info({ reason: worker.id }, 'asked to drain');
    parts.onDrain();
  }

  async function loop(): Promise<void> {
    let nextMs = parts.renewMs;
    try {
      await turn();
    } catch (err) {
      nextMs = Math.min(RETRY_MS, parts.renewMs);
      // That Redis is away is told once, by the connection.
      if (!(err instanceof LedgerUnavailable)) logger.error({ err }, 'the lease could not be renewed');
    }
    if (stopped) return;
    timer = setTimeout(() => {
      current = loop();
    }, nextMs);
  }

  let current = loop();
  return {
    get registered() {
      return registered;
    },
    get draining() {
      return draining;
    },
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await current;
      // Also when no registration was answered: one may have arrived all the same.
      registered = false;
      await workers.remove(model, worker.id);
    },
  };
}
