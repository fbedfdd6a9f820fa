import type { ReconciledKind } from '@svc-asr/core';
import type { Logger } from '@svc-asr/runtime';
import type { LedgerGuard } from '../ledger/guard.ts';
import { keyOf, partsOf } from '../source/source.ts';
import type { ResourceKey, ResourceSource } from '../source/source.ts';
import type { StatusReporter } from '../status/reporter.ts';
import type { Applied } from './applied.ts';
import type { CataloguePublisher } from './catalogue.ts';
import { runPhases } from './phases.ts';
import type { Reconciler, Reconcilers } from './reconciler.ts';
import type { Sync } from './sync.ts';
import { CATALOGUE, SYNC, workersModelOf } from './work.ts';
import type { WorkKey } from './work.ts';

export interface ReconcileDependencies {
  source: ResourceSource;
  applied: Applied;
  reconcilers: Reconcilers;
  catalogue: CataloguePublisher;
  sync: Sync;
  /** Converges the workers of a model in the cluster. */
  converge: (model: string) => Promise<void>;
  status: Pick<StatusReporter, 'applied' | 'refused' | 'failed' | 'waiting'>;
  /** Checked before anything is written to the ledger. */
  guard: Pick<LedgerGuard, 'check'>;
  /**
   * Returns whether the removal of all data of a deleted tenant was requested. The removal then runs even if no applied
   * Tenant of this name is recorded.
   */
  isPurgeRequested: (tenant: string) => boolean;
  logger: Logger;
}

/** Creates the function that processes every work key. It reconciles the named resource with the source. */
export function createReconcile(dependencies: ReconcileDependencies): (key: WorkKey) => Promise<void> {
  const { source, applied, reconcilers, catalogue, sync, converge, status, guard, isPurgeRequested, logger } =
    dependencies;

  /** Wraps a reconciler. The finalizer is added before the first phase and removed after the last one. */
  const frame = <K extends ReconciledKind>(kind: K, { present, absent }: Reconciler<K>): Reconciler<K> => ({
    present: [
      { name: 'add the finalizer', run: ({ metadata }) => source.hold(kind, metadata.name) },
      ...present,
      { name: 'report the status', run: ({ metadata }) => status.applied(kind, metadata.name, metadata.generation) },
    ],
    absent: [...absent, { name: 'remove the finalizer', run: (name) => source.release(kind, name) }],
  });

  const resource = <K extends ReconciledKind>(kind: K, reconciler: Reconciler<K>) => {
    const { present, absent } = frame(kind, reconciler);
    return async (name: string): Promise<void> => {
      if (source.isDuplicate(kind, name)) {
        await (source.isDeleting(kind, name) ? source.release(kind, name) : status.refused(kind, name));
        return;
      }
      const wanted = source.get(kind, name);
      if (wanted === undefined && source.problems(kind, name) !== undefined) {
        // The resource exists but is invalid, so the state that was applied last stays in effect.
        await status.refused(kind, name);
        return;
      }
      const known = applied.loaded() && applied.note(kind, name) !== undefined;
      const hasTraces = known || source.isDeleting(kind, name) || (kind === 'Tenant' && isPurgeRequested(name));
      if (wanted === undefined && !hasTraces) return;
      const fields = { resource: keyOf(kind, name) };
      try {
        await guard.check();
        // Before the first sync it is unknown what to remove. The sync enqueues this key again.
        if (!applied.loaded()) return;
        if (wanted === undefined) {
          if (await runPhases(absent, name)) logger.info(fields, `removed ${kind} ${name}`);
          return;
        }
        await runPhases(present, wanted);
      } catch (error) {
        await (wanted === undefined ? status.waiting(kind, name, error) : status.failed(kind, name, error));
        throw error;
      }
      if (known) logger.debug(fields, `applied ${kind} ${name}`);
      else logger.info(fields, `applied ${kind} ${name} for the first time`);
    };
  };
  const resources: Record<ReconciledKind, (name: string) => Promise<void>> = {
    ASRModel: resource('ASRModel', reconcilers.ASRModel),
    Tenant: resource('Tenant', reconcilers.Tenant),
    ApiKey: resource('ApiKey', reconcilers.ApiKey),
  };

  return async (key) => {
    const model = workersModelOf(key);
    if (model !== undefined) return converge(model);
    if (key !== SYNC && key !== CATALOGUE) {
      const { kind, name } = partsOf(key as ResourceKey);
      return resources[kind](name);
    }
    await guard.check();
    return key === SYNC ? sync.run() : catalogue.publish();
  };
}
