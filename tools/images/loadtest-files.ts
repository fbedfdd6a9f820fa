import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';
import { fileOf, listFolder } from './image-file.ts';
import type { ImageFile } from './image-file.ts';
import { LOADTEST_TASK } from './image.ts';

/** What the programs bring themselves. */
const BUILT_IN = /^(node:|k6(\/|$))/;

/** The load tests: the task, the scenarios, and of the tools what these import. */
export function loadtestFiles(root: string): ImageFile[] {
  const scenarios = readdirSync(join(root, 'loadtest'))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => `loadtest/${name}`);
  return [
    { path: 'app/package.json', mode: 0o644, from: { text: '{ "type": "module" }\n' } },
    ...listImported(root, [LOADTEST_TASK, ...scenarios]).map((path) => fileOf(`app/${path}`, join(root, path))),
  ];
}

/** The recordings that the demo models are judged by: real speech for streams that nobody else gives any. */
export function recordingFiles(root: string): ImageFile[] {
  return readdirSync(join(root, 'worker/models'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => listFolder(join(root, 'worker/models', name, 'eval'), `app/worker/models/${name}/eval`));
}

/** Sources, and all that is loaded with them; what a program imports only when it needs it is left out. */
export function listImported(root: string, entries: readonly string[]): string[] {
  const found = new Set<string>();
  const add = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const name of importsOf(path, readFileSync(join(root, path), 'utf8'))) {
      if (name.startsWith('.')) add(posix.join(dirname(path), name));
      else if (!BUILT_IN.test(name)) throw new Error(`${path} imports ${name}: the image has no npm packages`);
    }
  };
  for (const entry of entries) add(entry);
  return [...found].sort();
}

/** What a source imports at its beginning; types are not there any more when it runs. */
function importsOf(path: string, text: string): string[] {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest).statements.flatMap((statement) => {
    if (ts.isImportDeclaration(statement) && statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword)
      return [];
    if (ts.isExportDeclaration(statement) && statement.isTypeOnly) return [];
    const specifier =
      ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement) ? statement.moduleSpecifier : undefined;
    return specifier !== undefined && ts.isStringLiteral(specifier) ? [specifier.text] : [];
  });
}
