import type { WorkerRuntime } from './runtime.ts';
import { buildTemplate } from './template.ts';

/** Workers that are started by other means than the operator: it sees them in the ledger alone. */
export function createUnmanagedRuntime(): WorkerRuntime {
  return {
    open: () => undefined,
    template: buildTemplate,
    models: () => [],
    list: () => [],
    ensure: () => undefined,
    keep: () => undefined,
    forget: () => undefined,
    writeScale: () => undefined,
    confirm: () => undefined,
    stop: () => undefined,
    startFailure: () => undefined,
    close: () => Promise.resolve(),
  };
}
