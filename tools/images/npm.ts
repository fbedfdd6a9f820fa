import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { InstallError } from '../install/install-error.ts';
import { cacheFolder } from '../launch/node.mjs';

/** A production package of a service. */
export interface NpmPackage {
  name: string;
  version: string;
  /** Folder in the repository: `node_modules/ws`, or that of a workspace. */
  path: string;
  isWorkspace: boolean;
}

/** Node of the tree that `npm ls --json --long` prints. */
interface ListedPackage {
  name: string;
  version: string;
  path: string;
  /** Set for workspaces: `file:` and the path from the folder of the link. */
  resolved?: string;
  dependencies?: Record<string, ListedPackage>;
}

/**
 * Packages that are installed but never loaded: type declarations, and two packages that only the install script of
 * onnxruntime-node uses. Images do not run that script.
 */
const NOT_LOADED = /^(@types\/.*|adm-zip|global-agent)$/;

/** Lists the packages that workspaces load in production, including themselves and according to npm, sorted by path. */
export function listPackages(root: string, workspaces: readonly string[]): NpmPackage[] {
  if (workspaces.length === 0) return [];
  const tree = askNpm(root, ['ls', '--all', '--json', '--long'], workspaces) as ListedPackage;
  // npm prints a package at each place that needs it, but its dependencies and its workspace only once.
  const merged = new Map<string, ListedPackage>();
  const merge = (entry: ListedPackage): void => {
    const known = merged.get(entry.path);
    merged.set(entry.path, { ...known, ...entry, dependencies: { ...known?.dependencies, ...entry.dependencies } });
    dependenciesOf(entry).forEach(merge);
  };
  merge(tree);
  const found = new Map<string, NpmPackage>();
  const visit = (entry: ListedPackage): void => {
    for (const { path } of dependenciesOf(entry)) {
      const dependency = merged.get(path);
      if (dependency === undefined || found.has(path) || NOT_LOADED.test(dependency.name)) continue;
      const { name, version, resolved } = dependency;
      const isWorkspace = resolved?.startsWith('file:') === true;
      const folder = isWorkspace ? join(path, '..', resolved.slice('file:'.length)) : path;
      found.set(path, { name, version, path: relative(tree.path, folder), isWorkspace });
      visit(dependency);
    }
  };
  visit(tree);
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns the dependencies of a package. npm lists optional peers that are not installed as empty objects. */
function dependenciesOf({ dependencies = {} }: ListedPackage): ListedPackage[] {
  return Object.values(dependencies).filter((entry) => 'path' in entry);
}

/**
 * Runs an npm command on package-lock.json for the production packages of workspaces, and parses what it prints. npm
 * takes more than a second, so the result is kept until the lockfile changes.
 */
export function askNpm(root: string, command: readonly string[], workspaces: readonly string[]): unknown {
  const args = [...command, '--package-lock-only', '--omit=dev', ...workspaces.map((name) => `--workspace=${name}`)];
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  const key = hash
    .update(JSON.stringify([root, args]))
    .digest('hex')
    .slice(0, 32);
  const file = join(cacheFolder(), 'image-npm', `${key}.json`);
  if (!existsSync(file)) {
    const options = { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
    const { status, stdout, stderr, error } = spawnSync('npm', args, options);
    if (status !== 0) throw new InstallError(`npm ${args.join(' ')} failed: ${error?.message ?? stderr.trim()}`);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, stdout);
  }
  return JSON.parse(readFileSync(file, 'utf8'));
}
