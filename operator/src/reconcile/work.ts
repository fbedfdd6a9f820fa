import type { Kind } from '@svc-asr/core';
import { partsOf } from '../source/source.ts';
import type { ResourceKey } from '../source/source.ts';

/** Work that is not about one resource. `Sync`: everything is looked at anew. */
export const SYNC = 'Sync';
export const CATALOGUE = 'Catalogue';

/** What the work queue holds. */
export type WorkKey = ResourceKey | typeof SYNC | typeof CATALOGUE;
export type WorkKind = Kind | typeof SYNC | typeof CATALOGUE;

/** What a key is about, as logs and metrics group it. */
export function workKindOf(key: WorkKey): WorkKind {
  return key === SYNC || key === CATALOGUE ? key : partsOf(key).kind;
}
