import type { PoolManager } from '../workers/pool-manager.ts';
import type { Applied } from './applied.ts';
import type { CataloguePublisher } from './catalogue.ts';
import type { Reconciler } from './reconciler.ts';

export interface ModelDependencies {
  pools: Pick<PoolManager, 'put' | 'retire' | 'has'>;
  catalogue: CataloguePublisher;
  applied: Applied;
}

/**
 * Creates the reconciler that gives an ASRModel a worker pool and an entry in the catalogue. When a model is deleted,
 * its entry is removed before its pool ends.
 */
export function createModelReconciler({ pools, catalogue, applied }: ModelDependencies): Reconciler<'ASRModel'> {
  return {
    present: [
      { name: 'record the model', run: ({ metadata }) => applied.add('ASRModel', metadata.name) },
      { name: 'update the pool', run: (model) => pools.put(model) },
      { name: 'publish the catalogue', run: () => catalogue.publish() },
    ],
    absent: [
      { name: 'withdraw it from the catalogue', run: (name) => catalogue.withdraw(name) },
      // The pool ends after its streams have finished. The model is then enqueued again.
      { name: 'retire the pool', run: (name) => pools.retire(name), isDone: (name) => !pools.has(name) },
      { name: 'remove the record', run: (name) => applied.forget('ASRModel', name) },
    ],
  };
}
