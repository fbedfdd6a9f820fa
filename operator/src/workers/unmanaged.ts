import type { WorkerRuntime } from './runtime.ts';
import { buildTemplate } from './template.ts';

/** Creates the runtime for workers that are started by other means. The operator observes them in the ledger only. */
export function createUnmanagedRuntime(): WorkerRuntime {
  return {
    open: () => undefined,
    buildTemplate,
    models: () => [],
    list: () => [],
    apply: () => undefined,
    confirm: () => undefined,
    startFailure: () => undefined,
    failingNodes: () => [],
    storedRollout: () => undefined,
    close: () => Promise.resolve(),
  };
}
