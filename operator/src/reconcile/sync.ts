import { RECONCILED_KINDS } from '@svc-asr/core';
import type { Logger } from '@svc-asr/runtime';
import type { Notices } from '../notices.ts';
import { keyOf, partsOf } from '../source/source.ts';
import type { ResourceKey, ResourceSource } from '../source/source.ts';
import type { Applied } from './applied.ts';
import { CATALOGUE } from './work.ts';
import type { WorkKey } from './work.ts';

export interface SyncDependencies {
  source: Pick<ResourceSource, 'get' | 'keys' | 'unsettled'>;
  applied: Applied;
  /** `enqueueLast` enqueues a key behind all others. */
  work: { enqueue: (key: WorkKey) => void; enqueueLast: (key: WorkKey) => void };
  notices: Notices;
  logger: Pick<Logger, 'warn'>;
}

/**
 * Full resync, which enqueues every resource of the source. It also enqueues every applied resource that is missing
 * from the source, so that it is removed. While the source may be incomplete, missing resources are kept instead.
 */
export interface Sync {
  run: () => Promise<void>;
  /**
   * Returns the number of resources that are missing from the source but kept, because the source may be incomplete.
   */
  held: () => number;
  /** Returns the time of the last resync in seconds since 1970. Undefined before the first resync. */
  lastSeconds: () => number | undefined;
}

export function createSync({ source, applied, work, notices, logger }: SyncDependencies): Sync {
  const { enqueue, enqueueLast } = work;
  let held: ResourceKey[] = [];
  let lastSeconds: number | undefined;
  return {
    run: async () => {
      await applied.load();
      lastSeconds = Date.now() / 1000;
      // Unchanged resources are enqueued last. Otherwise a change would wait until tens of thousands of them are
      // reconciled.
      for (const key of source.keys()) enqueueLast(key);
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
          `kept resources that are missing from the source, because it may be incomplete: ${names} (${reason})`,
        ),
      );
    },
    // A resource that was deleted since the last resync is not held any more.
    held: () => held.filter((key) => isApplied(applied, key)).length,
    lastSeconds: () => lastSeconds,
  };
}

function isApplied(applied: Pick<Applied, 'note'>, key: ResourceKey): boolean {
  const { kind, name } = partsOf(key);
  return applied.note(kind, name) !== undefined;
}

/**
 * Returns the resources that were applied but are missing from the source. If the source is complete, they were
 * deleted, for example while no operator ran.
 */
function findOrphans(applied: Pick<Applied, 'names'>, source: Pick<ResourceSource, 'get'>): ResourceKey[] {
  return RECONCILED_KINDS.flatMap((kind) => {
    const names = applied.names(kind).filter((name) => source.get(kind, name) === undefined);
    return names.map((name) => keyOf(kind, name));
  });
}
