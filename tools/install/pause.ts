import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../launch/node.mjs';
import { whileLocked } from './build-lock.ts';
import { buildPrograms } from './go-build.ts';
import { findGo } from './go-command.ts';
import { goModuleFolder, readGoModule } from './go-module.ts';

const NAME = 'pause';

/** Returns the path of the program that holds the namespaces of pods and nodes. Builds it if necessary. */
export async function ensurePause(): Promise<string> {
  const folder = goModuleFolder(NAME);
  const { module, key } = readGoModule(NAME);
  const target = join(cacheFolder(), key);
  const file = join(target, NAME);
  await whileLocked(target, `another command builds ${NAME}; waiting for it`, async () => {
    if (existsSync(file)) return;
    const go = findGo(module.goVersion, `${NAME} must be built`);
    await buildPrograms(go, { folder, packages: { [NAME]: '.' }, ldflags: [], target });
  });
  return file;
}
