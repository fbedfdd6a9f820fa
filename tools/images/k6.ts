import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { whileLocked } from '../install/build-lock.ts';
import { buildPrograms } from '../install/go-build.ts';
import { findGo } from '../install/go-command.ts';
import { goModuleFolder, readGoModule } from '../install/go-module.ts';
import { pinOf, versionFlags } from '../install/go-tool.ts';
import { InstallError } from '../install/install-error.ts';
import { cacheFolder } from '../launch/node.mjs';
import { PLATFORMS } from './platform.ts';
import type { Platform } from './platform.ts';

/** k6 for an image. */
export interface K6 {
  program: string;
  /** File with the text of its license. */
  license: string;
  /** Versions of the Go modules that it is built from, by their paths. */
  modules: Readonly<Record<string, string>>;
}

/** Builds the pinned k6 for a platform, unless the cache has it. */
export async function fetchK6(platform: Platform): Promise<K6> {
  const { module, key } = readGoModule('k6', `linux-${PLATFORMS[platform].node}`);
  const target = join(cacheFolder(), key);
  const [program, license] = [join(target, 'k6'), join(target, 'LICENSE')];
  await whileLocked(target, 'another command is building k6; waiting for it', async () => {
    if (existsSync(program) && existsSync(license)) return;
    const found = findGo(module.goVersion, 'k6 must be built for the image of the load tests');
    const go = { ...found, env: { ...found.env, GOOS: 'linux', GOARCH: PLATFORMS[platform].debian } };
    const { packagePath } = pinOf('k6');
    const folder = goModuleFolder('k6');
    await buildPrograms(go, { folder, packages: { k6: packagePath }, ldflags: versionFlags(['k6']), target });
    const options = { cwd: folder, env: { ...process.env, ...go.env }, encoding: 'utf8' } as const;
    const { stdout, stderr } = spawnSync(go.path, ['list', '-m', '-f', '{{.Dir}}', packagePath], options);
    if (stdout.trim() === '') throw new InstallError(`go cannot find the sources of ${packagePath}: ${stderr.trim()}`);
    copyFileSync(join(stdout.trim(), 'LICENSE.md'), license);
  });
  return { program, license, modules: module.versions };
}
