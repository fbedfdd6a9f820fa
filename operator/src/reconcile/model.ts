import type { PoolManager } from '../workers/pool/manager.ts';
import type { Applied } from './applied.ts';
import type { CataloguePublisher } from './catalogue.ts';
import type { Reconciler } from './reconciler.ts';

export interface ModelDependencies {
  pools: Pick<PoolManager, 'put' | 'retire' | 'has'>;
  catalogue: CataloguePublisher;
  applied: Applied;
}

/** ASRModel -> pool of workers and entry of the catalogue. A model is offered only while it has a pool. */
export function createModelReconciler({ pools, catalogue, applied }: ModelDependencies): Reconciler<'ASRModel'> {
  return {
    present: [
      { name: 'note it', run: ({ metadata }) => applied.add('ASRModel', metadata.name) },
      { name: 'bring the pool into force', run: (model) => pools.put(model) },
      { name: 'publish the catalogue', run: () => catalogue.publish() },
    ],
    absent: [
      { name: 'withdraw it from the catalogue', run: (name) => catalogue.withdraw(name) },
      // Streams are finished first; the end of the pool brings the model back here.
      { name: 'retire the pool', run: (name) => pools.retire(name), isDone: (name) => !pools.has(name) },
      { name: 'forget it', run: (name) => applied.forget('ASRModel', name) },
    ],
  };
}
