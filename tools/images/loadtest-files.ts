import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileOf, textOf } from './files.ts';
import type { ImageFile } from './files.ts';

/** Static imports as oxfmt writes them. Imports of types and dynamic imports are not needed in the image. */
const IMPORT = /^(?:import|export)(?! type) (?:[^;']*from )?'([^']+)';/gm;

/**
 * Lists the files of the load tests: task, k6 scenarios, the modules that they import, and the layout of the report.
 */
export function loadtestFiles(root: string): ImageFile[] {
  const found = new Set<string>();
  const add = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const [, name = ''] of readFileSync(join(root, path), 'utf8').matchAll(IMPORT)) {
      if (name.startsWith('.')) add(posix.join(dirname(path), name));
      else if (!/^(node:|k6(\/|$))/.test(name))
        throw new Error(`${path} imports ${name}, but the image has no npm packages`);
    }
  };
  const scenarios = globSync('loadtest/*.ts', { cwd: root }).filter((name) => !name.endsWith('.d.ts'));
  ['tools/tasks/loadtest.ts', 'loadtest/dashboard.json', ...scenarios].forEach(add);
  return [
    textOf('app/package.json', '{ "type": "module" }\n'),
    ...[...found].sort().map((path) => fileOf(`app/${path}`, join(root, path))),
  ];
}
