import { KINDS } from '@svc-asr/core';
import { keyOf } from '../source/source.ts';
import type { ResourceKey, ResourceSource } from '../source/source.ts';
import type { Applied } from './applied.ts';

/** What was applied once and is not in the source: deleted while nobody looked, if the source is settled. */
export function findOrphans(applied: Pick<Applied, 'names'>, source: Pick<ResourceSource, 'get'>): ResourceKey[] {
  return KINDS.flatMap((kind) => {
    const names = applied.names(kind).filter((name) => source.get(kind, name) === undefined);
    return names.map((name) => keyOf(kind, name));
  });
}
