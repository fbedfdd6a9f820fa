import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findGo, GO_ENVIRONMENT } from '../install/go-build.ts';
import { goModuleFolder, readGoModule } from '../install/go-module.ts';
import { ensureGoToolFor, pinOf } from '../install/go-tools.ts';
import { PLATFORMS } from './platform.ts';
import type { Platform } from './platform.ts';

/** k6 for an image. */
export interface K6 {
  program: string;
  /** File with the text of the license of k6. */
  license: string;
  /** Versions of the Go modules that k6 is built from, by module path. */
  modules: Readonly<Record<string, string>>;
}

/** Builds the pinned k6 for a platform, unless the cache has it. */
export async function fetchK6(platform: Platform): Promise<K6> {
  const program = await ensureGoToolFor('k6', 'linux', PLATFORMS[platform].node);
  const license = join(dirname(program), 'LICENSE');
  if (!existsSync(license)) {
    const options = {
      cwd: goModuleFolder('k6'),
      env: { ...process.env, ...GO_ENVIRONMENT },
      encoding: 'utf8',
    } as const;
    const go = findGo('the license of k6 is in its sources');
    const { stdout } = spawnSync(go, ['mod', 'download', '-json', pinOf('k6').packagePath], options);
    copyFileSync(join((JSON.parse(stdout) as { Dir: string }).Dir, 'LICENSE.md'), license);
  }
  return { program, license, modules: readGoModule('k6').module.versions };
}
