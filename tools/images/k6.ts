import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { whileLocked } from '../install/build-lock.ts';
import { buildPrograms } from '../install/go-build.ts';
import { findGo } from '../install/go-command.ts';
import type { GoCommand } from '../install/go-command.ts';
import { goModuleFolder, readGoModule } from '../install/go-module.ts';
import { pinOf, versionFlags } from '../install/go-tool.ts';
import { InstallError } from '../install/install-error.ts';
import { cacheFolder } from '../launch/node.mjs';
import { fileOf } from './image-file.ts';
import type { ImageFile } from './image-file.ts';
import { PLATFORMS } from './platform.ts';
import type { Platform } from './platform.ts';

/** The licence of k6; those of its modules are theirs. */
export const K6_LICENCE = 'AGPL-3.0-only';

/** k6 as it was built for an image. */
export interface K6 {
  program: string;
  /** The text of its licence. */
  licence: string;
  /** Go modules that it is built from, by their paths: their versions. */
  modules: Readonly<Record<string, string>>;
}

/** Builds the pinned k6 for a platform, where that has not happened yet. */
export async function fetchK6(platform: Platform): Promise<K6> {
  const { node, debian } = PLATFORMS[platform];
  const { module, key } = readGoModule('k6', `linux-${node}`);
  const target = join(cacheFolder(), key);
  const [program, licence] = [join(target, 'k6'), join(target, 'LICENSE')];
  await whileLocked(target, 'another command builds k6; waiting for it', async () => {
    if (existsSync(program) && existsSync(licence)) return;
    const found = findGo(module.goVersion, 'k6 must be built for the image of the load tests');
    // Go names architectures as Debian does.
    const go = { ...found, env: { ...found.env, GOOS: 'linux', GOARCH: debian } };
    const { packagePath } = pinOf('k6');
    const build = {
      folder: goModuleFolder('k6'),
      packages: { k6: packagePath },
      ldflags: versionFlags(['k6']),
      target,
    };
    if (!existsSync(program)) await buildPrograms(go, build);
    copyFileSync(join(sourcesOf(go, packagePath), 'LICENSE.md'), licence);
  });
  return { program, licence, modules: module.versions };
}

/** k6 and its licence. */
export function k6Files({ program, licence }: K6): ImageFile[] {
  return [fileOf('usr/local/bin/k6', program, true), fileOf('usr/share/doc/k6/LICENSE', licence)];
}

function sourcesOf({ path, env }: GoCommand, module: string): string {
  const { status, stdout, stderr } = spawnSync(path, ['mod', 'download', '-json', module], {
    cwd: goModuleFolder('k6'),
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  if (status !== 0) throw new InstallError(`the sources of ${module} cannot be had: ${stderr.trim() || stdout.trim()}`);
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}
