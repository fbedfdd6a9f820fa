import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { BUILD_TIME, MAY_IMPORT } from '../../.dependency-cruiser.mjs';
import { root } from '../launch/terminal.mjs';

/** A source file and its imports, as dependency-cruiser reports them. */
export interface Module {
  /** Path from the root of the repository. */
  source: string;
  dependencies: readonly { module: string; resolved: string }[];
}

/** Reads the imports of all files in some folders of a repository, and finds those that the rules forbid. */
export function readImports(
  repository: string,
  folders: readonly string[],
): { modules: Module[]; violations: string[] } {
  const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const args = [program, '--config', join(root, '.dependency-cruiser.mjs'), '--output-type', 'json', ...folders];
  const output = execFileSync(process.execPath, args, { cwd: repository, encoding: 'utf8', maxBuffer: 2 ** 28 });
  const { modules, summary } = JSON.parse(output) as {
    modules: Module[];
    summary: { violations: { from: string; to: string; rule: { name: string } }[] };
  };
  return { modules, violations: summary.violations.map(({ from, to, rule }) => `${from} -> ${to}: ${rule.name}`) };
}

/**
 * Finds pairs of folders of one workspace whose files import each other in both directions. Ignores tests. Also ignores
 * pairs of a folder and its own subfolder, because these form one part of the program.
 */
export function findMutualFolders(modules: readonly Module[]): string[] {
  const imports = new Set(
    modules
      .filter(({ source }) => workspaceOf(source) !== undefined && !isTest(source))
      .flatMap(({ source, dependencies }) =>
        dependencies.map(({ resolved }) => `${posix.dirname(source)} ${posix.dirname(resolved)}`),
      ),
  );
  return [...imports].flatMap((pair) => {
    const [from = '', to = ''] = pair.split(' ');
    const isMutual = from < to && imports.has(`${to} ${from}`) && !to.startsWith(`${from}/`);
    return isMutual ? [`${from} <-> ${to}`] : [];
  });
}

/**
 * Folder of the console's pages. They may import development packages, because Vite bundles their imports at build
 * time.
 */
const PAGES = 'console/web/';

/** Finds imports of workspaces that the package.json of the importing workspace does not declare. */
export function findUndeclared(repository: string, modules: readonly Module[]): string[] {
  return modules.flatMap(({ source, dependencies }) => {
    const workspace = workspaceOf(source);
    const names = dependencies
      .map(({ module }) => /^@svc-asr\/[^/]+/.exec(module)?.[0])
      .filter((name) => name !== undefined);
    if (workspace === undefined || isTest(source) || names.length === 0) return [];
    const text = readFileSync(join(repository, workspace, 'package.json'), 'utf8');
    const manifest = JSON.parse(text) as Partial<Record<string, Record<string, string>>>;
    const { dependencies: needed = {}, devDependencies: bundled = {} } = manifest;
    const isPage = source.startsWith(PAGES);
    const declared = workspace === BUILD_TIME ? bundled : isPage ? { ...needed, ...bundled } : needed;
    return names.filter((name) => !(name in declared)).map((name) => `${source} imports ${name}`);
  });
}

function workspaceOf(path: string): string | undefined {
  return Object.keys(MAY_IMPORT).find((workspace) => path.startsWith(`${workspace}/`));
}

function isTest(path: string): boolean {
  return /\.test\.ts$|\/testing\//.test(path);
}
