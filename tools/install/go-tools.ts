import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../launch/lock.mjs';
import { cacheFolder } from '../launch/node.mjs';
import { logProgress } from '../launch/terminal.mjs';
import { buildPrograms, findGo } from './go-build.ts';
import { goModuleFolder, readGoModule, versionOf } from './go-module.ts';
import { findOnPath } from './system-package.ts';
import { askVersion, parseVersion } from './version.ts';
import type { Version } from './version.ts';

/** A program that is built from a module of tools. */
interface GoTool {
  /** Folder under tools/go with the go.mod of the program. */
  module: string;
  /** Arguments that print the version. Without them, only a program that this code has built is used. */
  versionArgs?: readonly string[];
  /**
   * Module whose version counts as the version of the program. Set if the main function of the program is in this
   * repository.
   */
  versionOf?: string;
  /**
   * Go variables that the linker sets to the version of the program. Set for programs that otherwise do not know their
   * version.
   */
  versionVariables?: readonly string[];
}

const KUBERNETES: GoTool = {
  module: 'kubernetes',
  versionArgs: ['--version'],
  versionVariables: ['k8s.io/component-base/version.gitVersion', 'k8s.io/client-go/pkg/version.gitVersion'],
};

export const GO_TOOLS = {
  'kube-apiserver': KUBERNETES,
  'kube-controller-manager': KUBERNETES,
  'kube-scheduler': KUBERNETES,
  'kube-proxy': KUBERNETES,
  kubelet: KUBERNETES,
  kubectl: { ...KUBERNETES, versionArgs: ['version', '--client'] },
  helm: {
    module: 'helm',
    versionArgs: ['version', '--template', '{{.Version}}'],
    versionVariables: ['helm.sh/helm/v4/internal/version.version'],
  },
  kubeconform: { module: 'helm', versionArgs: ['-v'], versionVariables: ['main.version'] },
  'helm-unittest': { module: 'helm' },
  coredns: { module: 'coredns', versionArgs: ['-version'], versionOf: 'github.com/coredns/coredns' },
  k6: { module: 'k6', versionArgs: ['version'] },
  kwok: { module: 'kwok', versionArgs: ['--version'] },
  pause: { module: 'pause' },
} as const satisfies Record<string, GoTool>;

export type GoToolName = keyof typeof GO_TOOLS;

/**
 * Returns the package and version, such as `v1.36.3`, that go.mod pins. The version of `pause` is empty, because all of
 * its code is in this repository.
 */
export function pinOf(name: GoToolName): { packagePath: string; version: string } {
  const tool: GoTool = GO_TOOLS[name];
  const { module } = readGoModule(tool.module);
  const packagePath = module.tools[name];
  if (packagePath === undefined) throw new Error(`tools/go/${tool.module}/go.mod has no tool named ${name}`);
  return { packagePath, version: versionOf(module, tool.versionOf ?? packagePath) ?? '' };
}

/** Returns whether a version has the same major and minor number as the pinned one. */
export function isFitting(name: GoToolName, version: Version | undefined): boolean {
  const pinned = parseVersion(pinOf(name).version);
  return version !== undefined && version[0] === pinned?.[0] && version[1] === pinned[1];
}

/**
 * Returns the linker flags that set the version variables of programs. Kubernetes programs have a variable for the whole
 * version, one for its major number and one for its minor number.
 */
export function versionFlags(names: readonly GoToolName[]): string[] {
  const flags = names.flatMap((name) => {
    const { versionVariables = [] }: GoTool = GO_TOOLS[name];
    const { version } = pinOf(name);
    const [major, minor] = parseVersion(version) ?? [];
    return versionVariables.flatMap((variable) => {
      const [, prefix] = /^(.*\.git)Version$/.exec(variable) ?? [];
      const parts = prefix === undefined ? [] : [`-X ${prefix}Major=${major}`, `-X ${prefix}Minor=${minor}`];
      return [`-X ${variable}=${version}`, ...parts];
    });
  });
  return [...new Set(flags)];
}

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
    await buildGoTools(module, wanted, (name) => findGoTool(name) !== undefined);
  }
  return Object.fromEntries(
    names.map((name) => {
      const path = findGoTool(name);
      if (path !== undefined) return [name, path];
      const folder = buildFolder(GO_TOOLS[name].module);
      throw new Error(`${name} was built, but does not run or has another version. Remove ${folder} and try again`);
    }),
  ) as Record<Name, string>;
}

/** Returns the path of a program for a platform such as `linux-arm64`. Builds it if the cache lacks it. */
export async function ensureGoToolFor(name: GoToolName, os: string, arch: 'x64' | 'arm64'): Promise<string> {
  const { module } = GO_TOOLS[name];
  const file = join(buildFolder(module, `${os}-${arch}`), name);
  const env = { GOOS: os, GOARCH: arch === 'x64' ? 'amd64' : arch };
  await buildGoTools(module, [name], () => existsSync(file), `${os}-${arch}`, env);
  return file;
}

async function buildGoTools(
  module: string,
  wanted: readonly GoToolName[],
  isBuilt: (name: GoToolName) => boolean,
  platform?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const target = buildFolder(module, platform);
  await withLock(join(target, 'lock'), `waiting for another command that builds ${wanted.join(', ')}`, async () => {
    // Another process, which held the lock before, may have built some of the programs.
    const names = wanted.filter((name) => !isBuilt(name));
    if (names.length === 0) return;
    const list = `${names.join(', ')} ${pinOf(names[0] ?? 'kubectl').version}`.trim();
    const go = findGo(`${list} must be built from source (or put on PATH, or into the folder KUBEBUILDER_ASSETS)`);
    logProgress(`building ${list} from source; this can take 6 minutes on two cores, but is done only once`);
    const packages = Object.fromEntries(names.map((name) => [name, pinOf(name).packagePath]));
    await buildPrograms(go, { folder: goModuleFolder(module), packages, ldflags: versionFlags(names), target, env });
  });
}

function buildFolder(module: string, platform?: string): string {
  return join(cacheFolder(), readGoModule(module, platform).key);
}
