import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';
import { fileOf, textOf } from './files.ts';
import type { ImageFile } from './files.ts';

/** Lists the sources of the load tests: the task, the k6 scenarios, the modules that they import and the report's layout. */
export function loadtestFiles(root: string): ImageFile[] {
  const scenarios = readdirSync(join(root, 'loadtest')).filter((name) => /(?<!\.d)\.ts$/.test(name));
  const found = new Set<string>();
  const add = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const name of importsOf(path, readFileSync(join(root, path), 'utf8'))) {
      if (name.startsWith('.')) add(posix.join(dirname(path), name));
      else if (!/^(node:|k6(\/|$))/.test(name))
        throw new Error(`${path} imports ${name}: the image has no npm packages`);
    }
  };
  ['tools/tasks/loadtest.ts', 'loadtest/dashboard.json', ...scenarios.map((name) => `loadtest/${name}`)].forEach(add);
  return [
    textOf('app/package.json', '{ "type": "module" }\n'),
    ...[...found].sort().map((path) => fileOf(`app/${path}`, join(root, path))),
  ];
}

/** Returns the static imports of a source, without those of types. Dynamic imports serve runs outside of the image. */
function importsOf(path: string, text: string): string[] {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest).statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const isType = ts.isImportDeclaration(statement)
      ? statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
      : statement.isTypeOnly;
    const specifier = statement.moduleSpecifier;
    return !isType && specifier !== undefined && ts.isStringLiteral(specifier) ? [specifier.text] : [];
  });
}
