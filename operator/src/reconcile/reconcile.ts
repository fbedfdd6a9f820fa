import type { Kind } from '@svc-asr/core';
import type { Logger } from '@svc-asr/runtime';
import { keyOf, partsOf } from '../source/source.ts';
import type { ResourceSource } from '../source/source.ts';
import type { Applied } from './applied.ts';
import type { Catalogue } from './catalogue.ts';
import { runPhases } from './phases.ts';
import type { Reconciler, Reconcilers } from './reconciler.ts';
import type { Sync } from './sync.ts';
import { CATALOGUE, SYNC } from './work.ts';
import type { WorkKey } from './work.ts';

export interface ReconcileDependencies {
  source: ResourceSource;
  applied: Applied;
  reconcilers: Reconcilers;
  catalogue: Catalogue;
  sync: Sync;
  logger: Logger;
}

/** The one entry of all work: brings what a key names from what it is to what the source wants. */
export function createReconcile(dependencies: ReconcileDependencies): (key: WorkKey) => Promise<void> {
  const { source, applied, reconcilers, catalogue, sync, logger } = dependencies;

  const resource =
    <K extends Kind>(kind: K, reconciler: Reconciler<K>) =>
    async (name: string): Promise<void> => {
      // Before the first sync it is not known what to remove; the sync brings this key back.
      if (!applied.loaded()) return;
      const known = applied.note(kind, name) !== undefined;
      const wanted = source.get(kind, name);
      const fields = { resource: keyOf(kind, name) };
      if (wanted !== undefined) {
        await runPhases(reconciler.present, wanted);
        if (known) logger.debug(fields, `applied ${kind} ${name}`);
        else logger.info(fields, `applied ${kind} ${name} for the first time`);
      } else if (known) {
        await runPhases(reconciler.absent, name);
        logger.info(fields, `removed ${kind} ${name}`);
      }
    };
  const resources: Record<Kind, (name: string) => Promise<void>> = {
    ASRModel: resource('ASRModel', reconcilers.ASRModel),
    Tenant: resource('Tenant', reconcilers.Tenant),
    ApiKey: resource('ApiKey', reconcilers.ApiKey),
  };

  return (key) => {
    if (key === SYNC) return sync.run();
    if (key === CATALOGUE) return catalogue.publish();
    const { kind, name } = partsOf(key);
    return resources[kind](name);
  };
}
