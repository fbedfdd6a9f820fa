import { resolve } from 'node:path';
import { createFolderReader } from './folder.ts';
import type { Platform } from './platform.ts';

/** Reads models from files. They have no status, and the leading operator is unknown. */
export function createFilePlatform(folders: readonly string[]): Platform {
  const readFolder = createFolderReader();
  const paths = [...new Set(folders.map((folder) => resolve(folder)))];
  return {
    kind: 'files',
    models: async () => {
      const files = (await Promise.all(paths.map(readFolder))).flat();
      return files.flatMap(({ resources }) =>
        resources.flatMap((resource) =>
          resource.kind === 'ASRModel' ? [{ resource, conditions: [], events: [] }] : [],
        ),
      );
    },
    lead: () => Promise.resolve(undefined),
  };
}
