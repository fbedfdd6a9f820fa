import type { Kind } from '@svc-asr/core';
import { partsOf } from '../source/source.ts';
import type { ResourceKey } from '../source/source.ts';

/** Work that is not about one resource. `Sync` is a full resync. */
export const SYNC = 'Sync';
export const CATALOGUE = 'Catalogue';

/** Key of the work queue. */
export type WorkKey = ResourceKey | typeof SYNC | typeof CATALOGUE;
export type WorkKind = Kind | typeof SYNC | typeof CATALOGUE;

/** Returns the kind of a key, for logs and metrics. */
export function workKindOf(key: WorkKey): WorkKind {
  return key === SYNC || key === CATALOGUE ? key : partsOf(key).kind;
}
