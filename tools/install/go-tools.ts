import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../launch/node.mjs';
import { say } from '../launch/terminal.mjs';
import { whileLocked } from './build-lock.ts';
import { buildPrograms, DRAFT } from './go-build.ts';
import { findGo } from './go-command.ts';
import { goModuleFolder, readGoModule } from './go-module.ts';
import { GO_TOOLS, isFitting, pinOf, versionFlags } from './go-tool.ts';
import type { GoTool, GoToolName } from './go-tool.ts';
import { InstallError } from './install-error.ts';
import { findOnPath } from './package-manager.ts';
import { askVersion } from './program-version.ts';

/** Finds a program with a matching version. Returns undefined if it has to be built. */
export function findGoTool(name: GoToolName, env = process.env): string | undefined {
  const assets = env.KUBEBUILDER_ASSETS;
  const { module, versionArgs }: GoTool = GO_TOOLS[name];
  const built = join(buildFolder(module), name);
  if (versionArgs === undefined) return existsSync(built) ? built : undefined;
  const places = [assets === undefined ? undefined : join(assets, name), findOnPath(name, env.PATH), built];
  return places.find(
    (path) => path !== undefined && existsSync(path) && isFitting(name, askVersion(path, versionArgs, env)),
  );
}

/** Returns the paths of programs. Builds those that are missing. */
export async function ensureGoTools<Name extends GoToolName>(names: readonly Name[]): Promise<Record<Name, string>> {
  const missing = names.filter((name) => findGoTool(name) === undefined);
  for (const module of new Set(missing.map((name) => GO_TOOLS[name].module))) {
    const wanted = missing.filter((name) => GO_TOOLS[name].module === module);
    await whileLocked(buildFolder(module), `another command builds ${wanted.join(', ')}; waiting for it`, async () => {
      // The process that held the lock may have built them.
      const left = wanted.filter((name) => findGoTool(name) === undefined);
      if (left.length > 0) await build(module, left);
    });
  }
  return Object.fromEntries(names.map((name) => [name, demand(name)])) as Record<Name, string>;
}

async function build(module: GoTool['module'], names: readonly GoToolName[]): Promise<void> {
  const target = buildFolder(module);
  const [version = ''] = names.map((name) => pinOf(name).version);
  const list = names.join(', ');
  const go = findGo(
    readGoModule(module).module.goVersion,
    `${list} ${version} must be built (or put on PATH or into the folder that KUBEBUILDER_ASSETS names)`,
  );
  for (const entry of readdirSync(target)) {
    // Removes what killed builds left.
    if (entry.startsWith(DRAFT)) rmSync(join(target, entry), { recursive: true, force: true });
  }
  say(`building ${list} ${version} from source; on two idle cores this takes up to 6 minutes, once`);
  await buildPrograms(go, {
    folder: goModuleFolder(module),
    packages: Object.fromEntries(names.map((name) => [name, pinOf(name).packagePath])),
    ldflags: versionFlags(names),
    target,
  });
}

function buildFolder(module: GoTool['module']): string {
  return join(cacheFolder(), readGoModule(module).key);
}

function demand(name: GoToolName): string {
  const path = findGoTool(name);
  if (path !== undefined) return path;
  const folder = buildFolder(GO_TOOLS[name].module);
  throw new InstallError(`${name} was built but does not run or says another version: remove ${folder} and run again`);
}
