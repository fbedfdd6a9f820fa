import { LedgerUnavailable } from '@svc-asr/ledger';
import type { RedisConnection } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';

/** Work that is repeated at intervals. */
export interface RedisTask {
  start: () => void;
  stop: () => void;
  /** Runs the work soon, instead of after the interval. */
  hurry: () => void;
}

/** Interval at which a task checks the connection to Redis while Redis is not connected. */
const RETRY_MS = 200;

/**
 * Creates a task that keeps something set up in Redis. It runs at intervals, because Redis may be emptied or replaced,
 * and a cluster may get further masters.
 */
export function createRedisTask(options: {
  link: Pick<RedisConnection, 'ready'>;
  /**
   * Returns false if this operator is not the leader. The task then does nothing, because two operators of different
   * versions would overwrite each other's work.
   */
  isLeading: () => boolean;
  intervalMs: number;
  work: () => Promise<void>;
  /** Message that is logged when the work starts to fail for another reason than an outage of Redis. */
  failureMessage: string;
  logger: Logger;
}): RedisTask {
  const { link, isLeading, intervalMs, work, failureMessage, logger } = options;
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  let isStopped = false;
  let isHurried = false;
  let failure: string | undefined;

  async function run(): Promise<void> {
    isRunning = true;
    isHurried = false;
    try {
      if (link.ready && isLeading()) {
        await work();
        failure = undefined;
      }
    } catch (err) {
      const reason = err instanceof Error ? err.message : String(err);
      if (reason !== failure) {
        // Redis may be unavailable for this task alone, for example because the memory of Redis is full.
        if (err instanceof LedgerUnavailable)
          logger.warn({ reason }, 'Redis is unavailable for a task of the operator');
        else logger.error({ err }, failureMessage);
      }
      failure = reason;
    }
    isRunning = false;
    scheduleNext();
  }

  function scheduleNext(): void {
    schedule(isHurried ? 0 : link.ready ? intervalMs : RETRY_MS);
  }

  function schedule(delayMs: number): void {
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(() => void run(), delayMs);
  }

  return {
    start: () => void run(),
    hurry: () => {
      isHurried = true;
      if (!isRunning) schedule(0);
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
