import type { Resource } from '@svc-asr/core';
import type { ResourceKey } from '../source.ts';
import type { FileProblem } from './problem.ts';
import type { FileRecord } from './records.ts';

/** A resource in force and the file it comes from. */
export interface Owned {
  resource: Resource;
  path: string;
}

export interface Resolution {
  inForce: Map<ResourceKey, Owned>;
  /** By file: resources that are without effect because another file has them. */
  duplicates: Map<string, FileProblem[]>;
}

/**
 * Decides which file's resource is in force where several have the same: the file that had it before, else the first
 * in order.
 */
export function resolve(records: readonly FileRecord[], before: ReadonlyMap<ResourceKey, Owned>): Resolution {
  const present = records.filter(({ absentSinceMs }) => absentSinceMs === undefined);
  const inForce = new Map<ResourceKey, Owned>();
  for (const { path, found = [] } of present) {
    for (const { key, resource } of found) {
      if (!inForce.has(key) || before.get(key)?.path === path) inForce.set(key, { resource, path });
    }
  }
  const duplicates = new Map<string, FileProblem[]>();
  for (const { path, found = [] } of present) {
    const problems = found.flatMap(({ key, document, line }) => {
      const owner = inForce.get(key)?.path ?? path;
      const message = `${key} is in ${owner} already, which stays in force; remove one of the two`;
      return owner === path ? [] : [{ document, line, field: 'metadata.name', message }];
    });
    if (problems.length > 0) duplicates.set(path, problems);
  }
  return { inForce, duplicates };
}
