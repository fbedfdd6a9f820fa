import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Workspaces that each workspace may import, as in docs/architecture.md: core <- ledger, runtime <- operator | gateway
 * | worker | console; core <- client <- cli; core <- api-docs <- gateway; runtime <- kubernetes <- operator | console.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'packages/core': [],
  'packages/ledger': ['packages/core'],
  'packages/runtime': ['packages/core'],
  'packages/kubernetes': ['packages/runtime'],
  'packages/client': ['packages/core'],
  'packages/cli': ['packages/core', 'packages/client'],
  'packages/api-docs': ['packages/core'],
  gateway: ['packages/core', 'packages/ledger', 'packages/runtime', 'packages/api-docs'],
  operator: ['packages/core', 'packages/ledger', 'packages/runtime', 'packages/kubernetes'],
  worker: ['packages/core', 'packages/ledger', 'packages/runtime'],
  console: ['packages/core', 'packages/ledger', 'packages/runtime', 'packages/kubernetes'],
};

/** Workspaces that run only during the build. They declare their packages as devDependencies, which no image carries. */
const BUILD_TIME: readonly string[] = ['packages/api-docs'];

/** npm packages that each workspace declares. */
export type Dependencies = Readonly<Record<string, readonly string[]>>;

/** Returns the workspace of a file. Undefined for tools, repository-wide tests and benchmarks. */
export function workspaceOf(path: string): string | undefined {
  return Object.keys(MAY_IMPORT).find((workspace) => path.startsWith(`${workspace}/`));
}

/** Returns the folder of a workspace by its package name. */
export function folderOf(module: string): string | undefined {
  const name = /^@svc-asr\/([a-z-]+)/.exec(module)?.[1];
  return Object.keys(MAY_IMPORT).find((workspace) => workspace === name || workspace === `packages/${name ?? ''}`);
}

/** Reports whether a file is a test, or is used by tests only. */
export function isTest(path: string): boolean {
  return /\.test\.ts$|\/testing\//.test(path);
}

/** Returns the npm package of a module: `@a/b` for `@a/b/c`, and `a` for `a/b`. */
export function packageOf(module: string): string {
  return module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Reads the dependencies in the package.json of each workspace. */
export function readDependencies(root: string): Dependencies {
  const declared = (workspace: string): string[] => {
    const file = join(root, workspace, 'package.json');
    if (!existsSync(file)) return [];
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string> | undefined>;
    const kinds = ['dependencies', 'peerDependencies', 'optionalDependencies'];
    if (BUILD_TIME.includes(workspace)) kinds.push('devDependencies');
    return kinds.flatMap((kind) => Object.keys(manifest[kind] ?? {}));
  };
  return Object.fromEntries(Object.keys(MAY_IMPORT).map((workspace) => [workspace, declared(workspace)]));
}
