import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** A package in package-lock.json. */
export interface LockedPackage {
  /** Where the place does not tell it: of workspaces. */
  name?: string;
  version?: string;
  integrity?: string;
  license?: string;
  /** A workspace, by its folder. */
  resolved?: string;
  link?: boolean;
  os?: readonly string[];
  cpu?: readonly string[];
  dependencies?: Readonly<Record<string, string>>;
  optionalDependencies?: Readonly<Record<string, string>>;
  peerDependencies?: Readonly<Record<string, string>>;
}

/** Packages by their place: `node_modules/ws`, `gateway`. */
export type Lockfile = Readonly<Record<string, LockedPackage>>;

/** A place in the tree of packages. */
export interface Place {
  /** `node_modules/ws`, or the folder of a workspace. */
  path: string;
  name: string;
  version: string;
  integrity?: string;
  license?: string;
  isWorkspace: boolean;
}

/** Dependencies that a package declares and that nothing loads while a service runs, with the reason. */
const NOT_LOADED: Readonly<Record<string, readonly string[]>> = {
  // Its install script, which never runs, downloads with them.
  'onnxruntime-node': ['adm-zip', 'global-agent'],
};

/** Everything that a workspace loads at run time on Linux, itself included, in the order of the places. */
export function resolvePackages(lockfile: Lockfile, workspaces: readonly string[], cpu: 'x64' | 'arm64'): Place[] {
  const found = new Map<string, Place>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    const entry = lockfile[path];
    if (entry === undefined) throw new Error(`package-lock.json has no ${path}: "npm install" renews it`);
    const name = nameOf(path, entry);
    found.set(path, toPlace(path, name, entry));
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = entry;
    for (const wanted of Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies })) {
      // Types are for compilers.
      if (wanted.startsWith('@types/') || NOT_LOADED[name]?.includes(wanted) === true) continue;
      const target = find(lockfile, path, wanted);
      // Peers that nobody asked for, and packages for other systems.
      if (target === undefined && !(wanted in dependencies)) continue;
      if (target === undefined) throw new Error(`package-lock.json has no ${wanted} for ${path}: renew it`);
      if (fits(lockfile[target], cpu)) visit(target);
    }
  };
  for (const workspace of workspaces) visit(workspace);
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Reads package-lock.json. */
export function readLockfile(root: string): Lockfile {
  return (JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Lockfile }).packages;
}

/** Where Node finds a package from another: the nearest node_modules upwards. A link leads to its workspace. */
function find(lockfile: Lockfile, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = posix.dirname(folder)) {
    const at = folder === '.' ? '' : `${folder}/`;
    const path = `${at}node_modules/${name}`;
    const entry = lockfile[path];
    if (entry !== undefined) return entry.link === true ? entry.resolved : path;
    if (folder === '.') return undefined;
  }
}

function fits(entry: LockedPackage | undefined, cpu: string): boolean {
  return allows(entry?.os, 'linux') && allows(entry?.cpu, cpu);
}

function allows(list: readonly string[] | undefined, value: string): boolean {
  if (list === undefined) return true;
  if (list.includes(`!${value}`)) return false;
  return list.every((item) => item.startsWith('!')) || list.includes(value);
}

function nameOf(path: string, entry: LockedPackage): string {
  return entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function toPlace(path: string, name: string, entry: LockedPackage): Place {
  const { version = '0.0.0', integrity, license } = entry;
  return {
    path,
    name,
    version,
    ...(integrity === undefined ? {} : { integrity }),
    ...(license === undefined ? {} : { license }),
    isWorkspace: !path.includes('node_modules/'),
  };
}
