import type { Graph } from './cycles.ts';
import type { Source } from './sources.ts';
import { folderOf, workspaceOf } from './workspaces.ts';

/** Returns the imports between files. */
export function fileGraph(sources: readonly Source[]): Graph {
  return new Map(sources.map(({ path, files }) => [path, files]));
}

/** Returns the imports between workspaces. */
export function workspaceGraph(sources: readonly Source[]): Graph {
  const graph = new Map<string, Set<string>>();
  for (const { path, modules } of sources) {
    const from = workspaceOf(path);
    if (from === undefined) continue;
    const targets = graph.get(from) ?? new Set();
    graph.set(from, targets);
    for (const module of modules) {
      const to = folderOf(module);
      if (to !== undefined && to !== from) targets.add(to);
    }
  }
  return new Map([...graph].map(([from, targets]) => [from, [...targets]]));
}
