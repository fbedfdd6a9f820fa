import { root } from '../launch/terminal.mjs';
import { findCycles } from './cycles.ts';
import { findWrongImports } from './direction.ts';
import { findMutualFolders } from './folders.ts';
import { fileGraph, workspaceGraph } from './graphs.ts';
import { readSources } from './sources.ts';
import { findEmptyNames, findLongFiles } from './style.ts';
import { readDependencies } from './workspaces.ts';

const sources = readSources(root);

test('readSources reads packages, tools and page scripts', () => {
  const paths = sources.map(({ path }) => path);
  expect(paths).toContain('packages/core/src/index.ts');
  expect(paths).toContain('tools/run.mjs');
  expect(paths).toContain('console/page/console.js');
  expect(paths).toContain('tools/observe/page/main.js');
  expect(sources.find(({ path }) => path === 'tools/structure/repository.test.ts')?.files).toContain(
    'tools/structure/cycles.ts',
  );
});

test('every relative import refers to an existing file', () => {
  const paths = new Set(sources.map(({ path }) => path));
  const dangling = sources.flatMap(({ path, files }) =>
    files.filter((file) => /\.(ts|mjs|js)$/.test(file) && !paths.has(file)).map((file) => `${path} imports ${file}`),
  );
  expect(dangling).toEqual([]);
});

test('all imports follow the direction of the architecture', () => {
  expect(findWrongImports(sources, readDependencies(root))).toEqual([]);
});

test('the imports of files have no cycles', () => {
  expect(findCycles(fileGraph(sources))).toEqual([]);
});

test('the imports of workspaces have no cycles', () => {
  expect(findCycles(workspaceGraph(sources))).toEqual([]);
});

test('no two folders of a workspace import each other in both directions', () => {
  expect(findMutualFolders(sources)).toEqual([]);
});

test('no source file has more than 300 lines, and no test more than 500', () => {
  expect(findLongFiles(sources)).toEqual([]);
});

test('no file or folder has a meaningless name', () => {
  expect(findEmptyNames(sources)).toEqual([]);
});
