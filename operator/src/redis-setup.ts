import { loadFunctions } from '@svc-asr/ledger';
import type { RedisConnection } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { createRedisTask } from './redis-task.ts';
import type { RedisTask } from './redis-task.ts';
import { RedisUsers } from './redis-users.ts';

/**
 * Interval of the task. It is shorter than the lease of a worker, so that workers keep their leases if Redis loses
 * functions or users.
 */
const INTERVAL_MS = 5000;

export interface RedisSetup {
  task: RedisTask;
  /** Redis users of the models. Undefined if the workers of all models share one user. */
  users: RedisUsers | undefined;
}

/** Creates the task that loads the functions of workers into Redis and creates the Redis users of workers. */
export function createRedisSetup(options: {
  link: Pick<RedisConnection, 'ready' | 'masters'>;
  /** Address of Redis and key prefix, to create a user for each model. Undefined if all workers share one user. */
  models: { url: string; prefix: string } | undefined;
  isLeading: () => boolean;
  logger: Logger;
}): RedisSetup {
  const { link, models, isLeading, logger } = options;
  const users = models && new RedisUsers({ link, ...models, onChange: () => task.hurry() });
  const task = createRedisTask({
    link,
    isLeading,
    intervalMs: INTERVAL_MS,
    work: async () => {
      // Users are updated first, because new functions may need rights that the users do not have yet.
      await users?.apply();
      const amount = await loadFunctions(link.masters());
      if (amount > 0) logger.info({ amount }, 'loaded the functions of workers into Redis');
    },
    failureMessage: 'Redis could not be set up for workers: the operator needs its rights in the README of the chart',
    logger,
  });
  return { task, users };
}
