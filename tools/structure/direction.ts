import { isBuiltin } from 'node:module';
import { dirname } from 'node:path';
import type { Source } from './sources.ts';
import type { Dependencies } from './workspaces.ts';
import { folderOf, isTest, MAY_IMPORT, packageOf, workspaceOf } from './workspaces.ts';

/** Redis clients. Only the ledger may use them, because it alone knows the keys. */
const REDIS_CLIENTS = /^(redis|ioredis|@redis\/.*|iovalkey)$/;
const CORE = 'packages/core';
const LEDGER = 'packages/ledger';

/** Finds every import that violates the direction of the architecture. */
export function findWrongImports(sources: readonly Source[], dependencies: Dependencies): string[] {
  return sources.flatMap((source) => {
    const workspace = workspaceOf(source.path);
    if (isPageScript(source.path)) return findOutsidePage(source);
    if (workspace === undefined) return [];
    const problems = [
      ...source.files.map((file) => wrongFile(source.path, workspace, file)),
      ...source.modules.map((module) => wrongModule(source.path, workspace, module, dependencies)),
    ];
    return problems.filter((problem) => problem !== undefined).map((problem) => `${source.path} ${problem}`);
  });
}

function wrongFile(path: string, workspace: string, file: string): string | undefined {
  if (workspaceOf(file) === workspace) return undefined;
  // Code that tests of several workspaces share is in test/.
  if (isTest(path) && file.startsWith('test/')) return undefined;
  return `imports ${file}, which is outside of ${workspace}: import the package by its name`;
}

function wrongModule(path: string, workspace: string, module: string, dependencies: Dependencies): string | undefined {
  const target = folderOf(module);
  if (target !== undefined) {
    const allowed = MAY_IMPORT[workspace] ?? [];
    if (target === workspace) return `imports its own package ${module}: import the file`;
    return allowed.includes(target) ? undeclared(workspace, module, dependencies) : `must not import ${module}`;
  }
  if (isTest(path)) return undefined;
  if (isBuiltin(module)) return workspace === CORE ? `imports ${module}: core does no input and output` : undefined;
  if (workspace === CORE && packageOf(module) !== 'typebox') return `imports ${module}: core depends on typebox alone`;
  if (workspace !== LEDGER && REDIS_CLIENTS.test(packageOf(module))) {
    return `imports ${module}: only the ledger speaks to Redis`;
  }
  return undeclared(workspace, module, dependencies);
}

function undeclared(workspace: string, module: string, dependencies: Dependencies): string | undefined {
  if (dependencies[workspace]?.includes(packageOf(module)) === true) return undefined;
  return `imports ${module}, which ${workspace}/package.json does not declare`;
}

/**
 * True for scripts that browsers load. The server of a page serves only the folder of the page, so these scripts can
 * import only files of that folder.
 */
function isPageScript(path: string): boolean {
  return /\/page\/[^/]+\.js$/.test(path);
}

function findOutsidePage({ path, files, modules }: Source): string[] {
  const outside = [...modules, ...files.filter((file) => dirname(file) !== dirname(path))];
  return outside.map(
    (target) => `${path} imports ${target}, which browsers cannot load: import files of its folder only`,
  );
}
