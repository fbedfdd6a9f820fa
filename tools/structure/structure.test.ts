import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findCycles } from './cycles.ts';
import { findWrongImports } from './direction.ts';
import { findMutualFolders } from './folders.ts';
import { fileGraph, workspaceGraph } from './graphs.ts';
import { readSources, toSource } from './sources.ts';
import { findEmptyNames, findLongFiles } from './style.ts';
import { readDependencies } from './workspaces.ts';

const declared = {
  'packages/core': ['typebox'],
  'packages/ledger': ['@svc-asr/core', 'redis'],
  'packages/client': ['@svc-asr/core'],
  gateway: ['@svc-asr/core', '@svc-asr/ledger', '@svc-asr/runtime', 'express'],
};

function wrong(path: string, text: string): string[] {
  return findWrongImports([toSource(path, text)], declared);
}

test.each([
  ['packages/core/src/a.ts', "import { readFileSync } from 'node:fs';", 'imports node:fs: core does no input'],
  ['packages/core/src/a.ts', "import { readFileSync } from 'fs';", 'imports fs: core does no input'],
  ['packages/core/src/a.ts', "import x from 'lodash';", 'imports lodash: core depends on typebox alone'],
  ['packages/core/src/a.ts', "export * from '@svc-asr/ledger';", 'must not import @svc-asr/ledger'],
  [
    'packages/core/src/a.ts',
    "import { a } from '../../ledger/src/b.ts';",
    'imports packages/ledger/src/b.ts, which is outside',
  ],
  ['packages/ledger/src/a.ts', "import type { L } from '@svc-asr/runtime';", 'must not import @svc-asr/runtime'],
  ['packages/client/src/a.ts', "const x = await import('@svc-asr/runtime');", 'must not import @svc-asr/runtime'],
  ['gateway/src/a.ts', "import '@svc-asr/operator';", 'must not import @svc-asr/operator'],
  ['gateway/src/a.test.ts', "import '@svc-asr/operator';", 'must not import @svc-asr/operator'],
  ['gateway/src/a.ts', "import '@svc-asr/gateway';", 'imports its own package'],
  ['gateway/src/a.ts', "import { createClient } from 'redis';", 'only the ledger speaks to Redis'],
  ['gateway/src/a.ts', "import { createClient } from '@redis/client';", 'only the ledger speaks to Redis'],
  ['gateway/src/a.ts', "import WebSocket from 'ws';", 'imports ws, which gateway/package.json does not declare'],
  ['console/page/a.js', "import { b } from '../src/b.ts';", 'imports console/src/b.ts, which browsers cannot load'],
  ['tools/observe/page/a.js', "import x from 'lodash';", 'imports lodash, which browsers cannot load'],
  ['gateway/src/a.ts', "import { x } from '../../test/support/x.ts';", 'imports test/support/x.ts, which is outside'],
])('findWrongImports reports %s with %s', (path, text, problem) => {
  const problems = wrong(path, text);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(problem);
});

test.each([
  ['packages/core/src/a.ts', "import Type from 'typebox'; import { Compile } from 'typebox/compile';"],
  ['packages/core/src/a.test.ts', "import fc from 'fast-check'; import { readFileSync } from 'node:fs';"],
  ['packages/ledger/src/a.ts', "import { createClient } from 'redis'; import { x } from '@svc-asr/core';"],
  ['packages/ledger/src/a.test.ts', "import { startRedis } from '../../../test/support/redis.ts';"],
  ['gateway/src/a.ts', "import express from 'express'; import { b } from './b/c.ts'; import '@svc-asr/ledger';"],
  ['console/page/a.js', "import { b } from './b.js';"],
  ['tools/a.ts', "import { CONSOLE_SETTINGS } from '../console/src/settings.ts';"],
  ['gateway/src/a.ts', "// import '@svc-asr/operator';\nconst text = \"import 'redis'\";"],
])('findWrongImports accepts %s with %s', (path, text) => {
  expect(wrong(path, text)).toEqual([]);
});

test('findCycles finds cycles of one, two and three files', () => {
  const graph = new Map([
    ['self', ['self']],
    ['a', ['b', 'elsewhere']],
    ['b', ['c']],
    ['c', ['a', 'd']],
    ['d', ['e']],
    ['e', []],
    ['x', ['y', 'd']],
    ['y', ['x']],
  ]);
  expect(findCycles(graph)).toEqual([['a', 'b', 'c'], ['self'], ['x', 'y']]);
});

test('findMutualFolders reports two folders that import each other, but neither tests nor a folder and its subfolder', () => {
  const files: Record<string, string> = {
    'gateway/src/a/one.ts': "import '../b/two.ts'; import '../c/three.ts';",
    'gateway/src/b/two.ts': "import type { Four } from '../a/four.ts';",
    'gateway/src/c/three.ts': "import './d/five.ts';",
    'gateway/src/c/d/five.ts': "import '../six.ts';",
    'gateway/src/c/seven.test.ts': "import '../a/one.ts';",
  };
  const sources = Object.entries(files).map(([path, text]) => toSource(path, text));
  expect(findMutualFolders(sources)).toEqual(['gateway/src/a <-> gateway/src/b']);
});

test('the structure checks report every fault of a sample repository', () => {
  const root = mkdtempSync(join(tmpdir(), 'svc-asr-structure-'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write('packages/core/package.json', '{"dependencies": {"typebox": "1"}}');
  write('packages/core/src/a.ts', "import type { B } from './b.ts';\nimport '@svc-asr/runtime';\n");
  write('packages/core/src/b.ts', "import type { A } from './a.ts';\n");
  write('packages/runtime/package.json', '{"dependencies": {"@svc-asr/core": "1"}}');
  write('packages/runtime/src/string-utils.ts', "import '@svc-asr/core';\n".repeat(301));
  write('packages/runtime/dist/ignored.ts', "import 'redis';\n");
  try {
    const sources = readSources(root);
    expect(findWrongImports(sources, readDependencies(root))).toEqual([
      'packages/core/src/a.ts must not import @svc-asr/runtime',
    ]);
    expect(findCycles(fileGraph(sources))).toEqual([['packages/core/src/a.ts', 'packages/core/src/b.ts']]);
    expect(findCycles(workspaceGraph(sources))).toEqual([['packages/core', 'packages/runtime']]);
    expect(findLongFiles(sources)).toEqual([expect.stringContaining('string-utils.ts has 301 lines')]);
    expect(findEmptyNames(sources)).toEqual([expect.stringContaining('string-utils.ts')]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
