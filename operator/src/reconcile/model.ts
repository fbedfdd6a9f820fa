import type { ResourceOf } from '@svc-asr/core';
import type { Ledger } from '@svc-asr/ledger';
import type { Applied } from './applied.ts';
import type { Catalogue } from './catalogue.ts';
import type { Reconciler } from './reconciler.ts';

export interface ModelDependencies {
  pools: Pick<Ledger['pools'], 'configure' | 'remove'>;
  catalogue: Catalogue;
  applied: Applied;
}

/** ASRModel -> pool and entry of the catalogue. A model is offered only while it has a pool. */
export function createModelReconciler({ pools, catalogue, applied }: ModelDependencies): Reconciler<'ASRModel'> {
  return {
    present: [
      { name: 'note it', run: ({ metadata }) => applied.add('ASRModel', metadata.name) },
      { name: 'configure the pool', run: (model) => pools.configure(model.metadata.name, buildPool(model)) },
      { name: 'publish the catalogue', run: () => catalogue.publish() },
    ],
    absent: [
      { name: 'withdraw it from the catalogue', run: (name) => catalogue.withdraw(name) },
      { name: 'remove the pool', run: (name) => pools.remove(name) },
      { name: 'forget it', run: (name) => applied.forget('ASRModel', name) },
    ],
  };
}

/** Slots come from workers; a pool that has none yet and may have some counts as able to grow. */
export function buildPool({ spec }: ResourceOf<'ASRModel'>): { canGrow: boolean; slots: number } {
  return { canGrow: spec.scaling.max > 0, slots: 0 };
}
