import type { Logger } from '@svc-asr/runtime';
import type { Notices } from '../notices.ts';
import type { ResourceKey, ResourceSource } from '../source/source.ts';
import type { Applied } from './applied.ts';
import { findOrphans } from './orphans.ts';
import { CATALOGUE } from './work.ts';
import type { WorkKey } from './work.ts';

export interface SyncDependencies {
  source: ResourceSource;
  applied: Applied;
  /** Where the work goes. */
  enqueue: (key: WorkKey) => void;
  notices: Notices;
  logger: Logger;
}

/** Looks at everything anew: all that the source has is applied again, all that it has no more is removed. */
export interface Sync {
  run: () => Promise<void>;
  /** How many resources are kept though the source does not have them, because it may not know. */
  held: () => number;
  /** When it was last done, in seconds since 1970; undefined: not yet. */
  lastSeconds: () => number | undefined;
}

/** Makes the work behind `Sync`. */
export function createSync({ source, applied, enqueue, notices, logger }: SyncDependencies): Sync {
  let held: ResourceKey[] = [];
  let lastSeconds: number | undefined;
  return {
    run: async () => {
      await applied.load();
      lastSeconds = Date.now() / 1000;
      for (const key of source.keys()) enqueue(key);
      enqueue(CATALOGUE);
      const orphans = findOrphans(applied, source);
      const reason = source.unsettled();
      held = reason === undefined ? [] : orphans;
      if (reason === undefined || held.length === 0) {
        notices.clear('held');
        for (const key of orphans) enqueue(key);
        return;
      }
      const names = held.join(', ');
      notices.raise('held', `${reason} ${names}`, () =>
        logger.warn(
          { resource: held, reason },
          `not deleted, because it is not certain that they were: ${names} (${reason})`,
        ),
      );
    },
    held: () => held.length,
    lastSeconds: () => lastSeconds,
  };
}
