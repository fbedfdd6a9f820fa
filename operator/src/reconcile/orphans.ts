import { KINDS } from '@svc-asr/core';
import { keyOf } from '../source/source.ts';
import type { ResourceKey, ResourceSource } from '../source/source.ts';
import type { Applied } from './applied.ts';

/**
 * Returns the resources that were applied but are missing from the source. They were deleted while no operator ran,
 * provided that the source is settled.
 */
export function findOrphans(applied: Pick<Applied, 'names'>, source: Pick<ResourceSource, 'get'>): ResourceKey[] {
  return KINDS.flatMap((kind) => {
    const names = applied.names(kind).filter((name) => source.get(kind, name) === undefined);
    return names.map((name) => keyOf(kind, name));
  });
}
