import type { AsrModel } from '@svc-asr/core';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { ResourceSource } from '../../source/source.ts';
import { createPool } from './pool.ts';
import type { Pool, PoolDependencies } from './pool.ts';
import type { PoolStatus } from './status.ts';

export interface PoolManagerOptions extends PoolDependencies {
  source: Pick<ResourceSource, 'get' | 'unsettled'>;
  /** Time between two looks at a pool. */
  intervalMs: number;
  /** The pool of a deleted model is gone, its last worker included. */
  onRemoved?: (name: string) => void;
}

/** The worker pools of all models. */
export interface PoolManager {
  /** Finds the workers of an earlier operator again and begins to look after all pools. */
  start: () => Promise<void>;
  /** Brings a model's pool into force; resolves when the ledger knows of it and a look was taken. */
  put: (model: AsrModel) => Promise<void>;
  /** The model is deleted: its pool takes nobody from now on and goes away when its streams are done. */
  retire: (name: string) => Promise<void>;
  /** Whether something of a model's pool is left, be it that it is deleted and finishes its streams. */
  has: (name: string) => boolean;
  statuses: () => PoolStatus[];
  /** Undefined: the model has no pool. */
  status: (name: string) => PoolStatus | undefined;
  /** Looks after nothing any more; the workers stay as they are. */
  stop: () => Promise<void>;
}

interface Watched {
  pool: Pool;
  /** Whether it is known what to do with it: the model is there, or deleted for certain. */
  placed: boolean;
  /** The look that is being taken. */
  look: Promise<void> | undefined;
}

/** Makes the pools; each is looked after by itself, so that one that is stuck holds up no other. */
export function createPoolManager(options: PoolManagerOptions): PoolManager {
  const { runtime, report, source, intervalMs } = options;
  const pools = new Map<string, Watched>();
  /** Models whose pool came to its end; who retires them again is done. */
  const gone = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  async function lookAfter(name: string, { pool }: Watched): Promise<void> {
    try {
      const goesOn = await pool.reconcile();
      report.well(name);
      if (goesOn) return;
      pools.delete(name);
      gone.add(name);
      options.onRemoved?.(name);
    } catch (error) {
      // An absent Redis is not the pool's fault; its absence shows as unknown load.
      if (!(error instanceof LedgerUnavailable)) report.failed(name, error);
    }
  }

  function watchedOf(name: string): Watched {
    const known = pools.get(name);
    if (known !== undefined) return known;
    const watched: Watched = { pool: createPool(name, options), placed: false, look: undefined };
    pools.set(name, watched);
    return watched;
  }

  /** `undefined`: the model is deleted. */
  function place(name: string, model: AsrModel | undefined): Pool {
    gone.delete(name);
    const watched = watchedOf(name);
    watched.pool.setModel(model);
    watched.placed = true;
    return watched.pool;
  }

  function lookAtAll(): void {
    retireStrangers();
    for (const [name, watched] of pools) {
      if (watched.placed) void takeLook(name, watched);
    }
  }

  /** One at a time. */
  function takeLook(name: string, watched: Watched): Promise<void> {
    watched.look ??= lookAfter(name, watched).finally(() => {
      watched.look = undefined;
    });
    return watched.look;
  }

  /** Workers that an earlier operator left of a model that was deleted while none ran. */
  function retireStrangers(): void {
    if (source.unsettled() !== undefined) return;
    for (const name of new Set([...runtime.models(), ...pools.keys()])) {
      if (pools.get(name)?.placed !== true && source.get('ASRModel', name) === undefined) place(name, undefined);
    }
  }

  return {
    start: async () => {
      await runtime.open(
        ({ id, model }) => watchedOf(model).pool.workerEnded(id),
        (model) => pools.get(model)?.pool.wake(),
      );
      timer = setInterval(lookAtAll, intervalMs);
    },
    put: async (model) => {
      const { name } = model.metadata;
      await place(name, model).publish();
      // Once without waiting for its turn: its workers start sooner, and who tells how it stands tells it once.
      if (timer !== undefined) await takeLook(name, watchedOf(name));
    },
    retire: async (name) => {
      if (!gone.delete(name)) await place(name, undefined).publish();
    },
    has: (name) => pools.has(name),
    status: (name) => pools.get(name)?.pool.status(),
    statuses: () => [...pools.values()].map(({ pool }) => pool.status()),
    stop: async () => {
      clearInterval(timer);
      await Promise.all([...pools.values()].flatMap(({ look }) => look ?? []));
    },
  };
}
