import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, fetchPackage } from '../launch/node.mjs';

/** A production package of a service. */
export interface NpmPackage {
  name: string;
  version: string;
  /** Folder in the repository, such as `node_modules/ws` or the folder of a workspace. */
  path: string;
  isWorkspace: boolean;
}

/** Architecture of an image's CPU, as npm names it. */
export type Cpu = 'x64' | 'arm64';

/** Package that `npm query` prints. */
interface QueriedPackage {
  name: string;
  version: string;
  /** Folder in the repository. */
  location: string;
  /** Folders of the packages that the package depends on. The folder of a workspace is its link in node_modules. */
  to: readonly string[];
  devDependencies?: Readonly<Record<string, string>>;
  /** Platforms that the package is for. Undefined for all. */
  os?: readonly string[];
  cpu?: readonly string[];
}

/**
 * Packages that are installed but never loaded: type declarations, and two packages that only the install script of
 * onnxruntime-node uses. Images do not run that script.
 */
const NOT_LOADED = /^(@types\/.*|adm-zip|global-agent)$/;

/** Lists the packages that workspaces load in production on Linux, sorted by path. The list includes the workspaces. */
export function listPackages(root: string, workspaces: readonly string[], cpu: Cpu): NpmPackage[] {
  if (workspaces.length === 0) return [];
  const all = askNpm(root, ['query', '*']) as QueriedPackage[];
  const byLocation = new Map(all.map((entry) => [entry.location, entry]));
  for (const entry of all.filter(isWorkspace)) byLocation.set(`node_modules/${entry.name}`, entry);
  const found = new Set<QueriedPackage>();
  const visit = (location: string): void => {
    const entry = byLocation.get(location);
    if (entry === undefined || found.has(entry) || NOT_LOADED.test(entry.name) || !isFor(entry, cpu)) return;
    found.add(entry);
    entry.to
      .filter((path) => entry.devDependencies?.[path.replace(/^.*node_modules\//, '')] === undefined)
      .forEach(visit);
  };
  workspaces.forEach(visit);
  return [...found]
    .map((entry) => {
      const { name, version, location: path } = entry;
      return { name, version, path, isWorkspace: isWorkspace(entry) };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function isFor({ os = ['linux'], cpu = [] }: QueriedPackage, wanted: Cpu): boolean {
  return os.includes('linux') && (cpu.length === 0 || cpu.includes(wanted));
}

function isWorkspace({ location }: QueriedPackage): boolean {
  return location !== '' && !location.includes('node_modules/');
}

/**
 * Returns the folder of a package. npm installs native packages for this machine only, so those for another CPU are
 * downloaded into the cache.
 */
export function folderOf(root: string, { name, version, path }: NpmPackage): string {
  const folder = join(root, path);
  if (existsSync(folder)) return folder;
  return fetchPackage(name, version, join(cacheFolder(), 'image-packages', `${name.replace('/', '+')}-${version}`));
}

/**
 * Runs an npm command on package-lock.json without development packages, and parses what it prints. npm takes about a
 * second, so the result is kept until the lockfile changes.
 */
export function askNpm(root: string, command: readonly string[]): unknown {
  const args = [...command, '--package-lock-only', '--omit=dev'];
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  hash.update(JSON.stringify([root, args]));
  const file = join(cacheFolder(), 'image-npm', `${hash.digest('hex').slice(0, 32)}.json`);
  if (!existsSync(file)) {
    const options = { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
    const { status, stdout, stderr, error } = spawnSync('npm', args, options);
    if (status !== 0) throw new Error(`npm ${args.join(' ')} failed: ${error?.message ?? stderr.trim()}`);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, stdout);
  }
  return JSON.parse(readFileSync(file, 'utf8'));
}
