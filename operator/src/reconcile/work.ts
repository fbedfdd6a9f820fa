import type { ReconciledKind } from '@svc-asr/core';
import { partsOf } from '../source/source.ts';
import type { ResourceKey } from '../source/source.ts';

/** Work that is not about one resource. `Sync` is a full resync. */
export const SYNC = 'Sync';
export const CATALOGUE = 'Catalogue';

/** Key of the work queue. */
export type WorkKey = ResourceKey | WorkersKey | typeof SYNC | typeof CATALOGUE;
export type WorkKind = ReconciledKind | typeof WORKERS | typeof SYNC | typeof CATALOGUE;

/** Key of the workers of a model in the cluster. */
export type WorkersKey = `${typeof WORKERS}/${string}`;
const WORKERS = 'Workers';

/** Returns the key of the workers of a model. */
export function workersKeyOf(model: string): WorkersKey {
  return `${WORKERS}/${model}`;
}

/** Returns the model whose workers a key names. Undefined if the key names something else. */
export function workersModelOf(key: WorkKey): string | undefined {
  return isWorkersKey(key) ? key.slice(WORKERS.length + 1) : undefined;
}

function isWorkersKey(key: WorkKey): key is WorkersKey {
  return key.startsWith(`${WORKERS}/`);
}

/** Returns the kind of a key, for logs and metrics. */
export function workKindOf(key: WorkKey): WorkKind {
  if (isWorkersKey(key)) return WORKERS;
  return key === SYNC || key === CATALOGUE ? key : partsOf(key).kind;
}
