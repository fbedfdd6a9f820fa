import type { Ledger, RedisMemory } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';

export interface RedisMemoryWatch {
  start: () => void;
  stop: () => void;
  /**
   * Returns the memory of the Redis node that was closest to its limit at the last reading. Undefined if nothing was
   * read yet.
   */
  fullest: () => RedisMemory | undefined;
  /**
   * Returns why Redis may delete data by itself. Undefined if its eviction policy prevents that, or if the policy is
   * unknown.
   */
  findEviction: () => string | undefined;
  /** Reads the policy now. Throws if Redis may delete data by itself, or does not answer. */
  check: () => Promise<void>;
}

/** The only eviction policy with which a full Redis refuses writes instead of deleting data. */
const SAFE_POLICY = 'noeviction';

/**
 * Creates the task that reads memory and eviction policy of Redis at intervals. If the Redis user has no right to read
 * them, this is logged once, and the policy counts as safe.
 */
export function createRedisMemoryWatch(options: {
  memory: Ledger['memory'];
  intervalMs: number;
  logger: Logger;
}): RedisMemoryWatch {
  const { memory, intervalMs, logger } = options;
  let nodes: readonly RedisMemory[] = [];
  let isForbidden = false;
  let reported: string | undefined;
  let timer: NodeJS.Timeout | undefined;

  const findEviction = () => {
    const policy = nodes.map((node) => node.policy).find((name) => name !== SAFE_POLICY && name !== '');
    if (policy === undefined) return undefined;
    return (
      `Redis may delete accounts when its memory is full: its maxmemory-policy is ${policy}. ` +
      `Run CONFIG SET maxmemory-policy ${SAFE_POLICY}, and set it in the configuration of Redis as well`
    );
  };

  async function read(): Promise<void> {
    try {
      nodes = await memory.read();
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOPERM')) throw error;
      if (!isForbidden) {
        logger.warn({ err: error }, 'memory and maxmemory-policy of Redis are unknown: allow INFO to the Redis user');
      }
      isForbidden = true;
    }
    const eviction = findEviction();
    if (eviction !== undefined && eviction !== reported) logger.error(eviction);
    reported = eviction;
  }

  return {
    start: () => {
      const run = () => void read().catch(() => undefined);
      run();
      timer = setInterval(run, intervalMs);
    },
    stop: () => clearInterval(timer),
    fullest: () => [...nodes].sort((a, b) => shareOf(b) - shareOf(a))[0],
    findEviction,
    check: async () => {
      await read();
      const eviction = findEviction();
      if (eviction !== undefined) throw new Error(eviction);
    },
  };
}

function shareOf({ usedBytes, limitBytes }: RedisMemory): number {
  return limitBytes === 0 ? 0 : usedBytes / limitBytes;
}
