import type { ReconciledResource } from '@svc-asr/core';
import type { ResourceKey } from '../source.ts';
import type { FileProblem } from './problem.ts';
import type { FileRecord } from './records.ts';

/** An effective resource and its file. */
export interface Owned {
  resource: ReconciledResource;
  path: string;
}

export interface Resolution {
  effective: Map<ResourceKey, Owned>;
  /**
   * Problems by path of the file. Each problem is about a resource whose definition in this file has no effect, because
   * another file provides the resource.
   */
  duplicates: Map<string, FileProblem[]>;
}

/**
 * Decides which file provides a resource that several files define. It is the file that has provided the resource
 * before, or else the first file.
 */
export function resolve(records: readonly FileRecord[], before: ReadonlyMap<ResourceKey, Owned>): Resolution {
  const present = records.filter(({ absentSinceMs }) => absentSinceMs === undefined);
  const effective = new Map<ResourceKey, Owned>();
  for (const { path, found = [] } of present) {
    for (const { key, resource } of found) {
      if (!effective.has(key) || before.get(key)?.path === path) effective.set(key, { resource, path });
    }
  }
  const duplicates = new Map<string, FileProblem[]>();
  for (const { path, found = [] } of present) {
    const problems = found.flatMap(({ key, document, line }) => {
      const owner = effective.get(key)?.path ?? path;
      const message = `${key} is already defined in ${owner}, which stays effective; remove one of the two`;
      return owner === path ? [] : [{ document, line, field: 'metadata.name', message }];
    });
    if (problems.length > 0) duplicates.set(path, problems);
  }
  return { effective: effective, duplicates };
}
