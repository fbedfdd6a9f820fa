import { root } from '../launch/terminal.mjs';
import { findCycles } from './cycles.ts';
import { findWrongImports } from './direction.ts';
import { findMutualFolders } from './folders.ts';
import { fileGraph, workspaceGraph } from './graphs.ts';
import { readSources } from './sources.ts';
import { findEmptyNames, findLongFiles } from './style.ts';
import { readDependencies } from './workspaces.ts';

const sources = readSources(root);

test('the sources of every part are looked at', () => {
  const paths = sources.map(({ path }) => path);
  expect(paths).toContain('packages/core/src/index.ts');
  expect(paths).toContain('tools/run.mjs');
  expect(paths).toContain('console/page/console.js');
  expect(paths).toContain('tools/observe/page/main.js');
  expect(sources.find(({ path }) => path === 'tools/structure/repository.test.ts')?.files).toContain(
    'tools/structure/cycles.ts',
  );
});

test('every relative import leads to a file that is there', () => {
  const paths = new Set(sources.map(({ path }) => path));
  const dangling = sources.flatMap(({ path, files }) =>
    files.filter((file) => /\.(ts|mjs|js)$/.test(file) && !paths.has(file)).map((file) => `${path} imports ${file}`),
  );
  expect(dangling).toEqual([]);
});

test('imports keep to the direction of the architecture', () => {
  expect(findWrongImports(sources, readDependencies(root))).toEqual([]);
});

test('no file imports itself, be it through others', () => {
  expect(findCycles(fileGraph(sources))).toEqual([]);
});

test('no package imports itself, be it through others', () => {
  expect(findCycles(workspaceGraph(sources))).toEqual([]);
});

test('no two folders of a workspace import each other in both directions', () => {
  expect(findMutualFolders(sources)).toEqual([]);
});

test('no source file is longer than 300 lines, no test longer than 500', () => {
  expect(findLongFiles(sources)).toEqual([]);
});

test('no name of a file or folder is empty of meaning', () => {
  expect(findEmptyNames(sources)).toEqual([]);
});
