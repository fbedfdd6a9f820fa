import { posix } from 'node:path';
import type { Source } from './sources.ts';
import { isTest, workspaceOf } from './workspaces.ts';

/**
 * Finds pairs of folders of one workspace whose files import each other in both directions. Tests are not considered,
 * and neither are a folder and its own subfolder: together they are one part of the program.
 */
export function findMutualFolders(sources: readonly Source[]): string[] {
  const imports = new Set(
    sources
      .filter(({ path }) => workspaceOf(path) !== undefined && !isTest(path))
      .flatMap(({ path, files }) => files.map((file) => `${posix.dirname(path)} ${posix.dirname(file)}`)),
  );
  return [...imports].flatMap((pair) => {
    const [from = '', to = ''] = pair.split(' ');
    const isMutual = from < to && imports.has(`${to} ${from}`) && !to.startsWith(`${from}/`);
    return isMutual ? [`${from} <-> ${to}`] : [];
  });
}
