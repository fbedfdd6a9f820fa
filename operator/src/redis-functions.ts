import { loadFunctions } from '@svc-asr/ledger';
import type { RedisConnection } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';

export interface FunctionsTask {
  start: () => void;
  stop: () => void;
}

/**
 * Creates the task that keeps the functions that workers call loaded in Redis. It checks at intervals, because Redis
 * may be emptied or replaced, and a cluster may get further masters.
 */
export function createFunctionsTask(options: {
  link: Pick<RedisConnection, 'ready' | 'masters'>;
  /** False if another operator leads. Two versions would otherwise replace each other's functions. */
  isLeading: () => boolean;
  intervalMs: number;
  logger: Logger;
}): FunctionsTask {
  const { link, isLeading, intervalMs, logger } = options;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let failure: string | undefined;

  async function run(): Promise<void> {
    try {
      if (link.ready && isLeading()) {
        const amount = await loadFunctions(link.masters());
        if (amount > 0) logger.info({ amount }, 'loaded the functions of workers into Redis');
        failure = undefined;
      }
    } catch (err) {
      const reason = err instanceof Error ? err.message : String(err);
      if (reason !== failure) logger.error({ err }, 'the functions of workers could not be loaded into Redis');
      failure = reason;
    }
    if (!stopped) timer = setTimeout(() => void run(), link.ready ? intervalMs : RETRY_MS);
  }

  return {
    start: () => void run(),
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** Interval at which the task checks whether Redis is connected. */
const RETRY_MS = 200;
