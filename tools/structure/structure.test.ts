import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { root } from '../launch/terminal.mjs';
import { findMutualFolders, findUndeclared, readImports } from './imports.ts';

const FOLDERS = ['bench', 'console', 'gateway', 'loadtest', 'operator', 'packages', 'test', 'tools', 'worker'];

describe('the repository', () => {
  const { modules, violations } = readImports(root, FOLDERS);

  test('is checked completely, including packages, tools and the scripts of the console pages', () => {
    const paths = modules.map(({ source }) => source);
    expect(paths).toEqual(expect.arrayContaining(['packages/core/src/index.ts', 'tools/run.mjs']));
    expect(paths).toEqual(
      expect.arrayContaining([
        'console/web/admin/main.tsx',
        'console/web/developer/main.tsx',
        'tools/structure/imports.ts',
      ]),
    );
  });

  test('follows the rules for imports in .dependency-cruiser.mjs', () => {
    expect(violations).toEqual([]);
  });

  test('has no two folders of a workspace that import each other', () => {
    expect(findMutualFolders(modules)).toEqual([]);
  });

  test('declares every imported workspace in the package.json of the importing workspace', () => {
    expect(findUndeclared(root, modules)).toEqual([]);
  });

  const files = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx,mjs,js,css,lua}`, { cwd: root }));
  const sources = files.filter((file) => !/(^|\/)(node_modules|dist|coverage)\//.test(file));

  test('has no source file with more than 300 lines, and no test file with more than 500 lines', () => {
    const long = sources.filter((file) => {
      const lines = readFileSync(join(root, file), 'utf8').split('\n').length - 1;
      return lines > (file.endsWith('.test.ts') ? 500 : 300);
    });
    expect(long).toEqual([]);
  });

  test('has no file or folder with utils, helpers, common or misc in its name', () => {
    const meaningless = /(^|[-_./])(utils?|helpers?|common|misc)([-_./]|$)/i;
    expect(sources.filter((file) => meaningless.test(file))).toEqual([]);
  });
});

/** Creates a repository from files and returns the rules that it violates. */
function check(files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder('structure');
  const paths = { '@svc-asr/*': ['./packages/*/src/index.ts', './*/src/index.ts'] };
  const all = {
    'tsconfig.check.json': JSON.stringify({ compilerOptions: { paths } }),
    'packages/core/package.json': '{"dependencies": {"typebox": "1"}}',
    'gateway/package.json': '{"dependencies": {"@svc-asr/core": "1", "express": "1"}}',
    'node_modules/express/package.json': '{"main": "index.js"}',
    'node_modules/express/index.js': '',
    'node_modules/ws/package.json': '{"main": "index.js"}',
    'node_modules/ws/index.js': '',
    ...Object.fromEntries(['core', 'ledger', 'runtime'].map((name) => [`packages/${name}/src/index.ts`, ''])),
    'operator/src/index.ts': '',
    'gateway/src/index.ts': '',
    'console/page/b.js': '',
    'test/support/x.ts': '',
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return { folder, ...readImports(folder, ['packages', 'gateway', 'operator', 'console', 'test']) };
}

describe('the rules for imports', () => {
  test('report every forbidden import of a sample repository', () => {
    const { violations } = check({
      'packages/core/src/fs.ts': "import { readFileSync } from 'node:fs';",
      'packages/core/src/ws.ts': "import x from 'ws';",
      'packages/core/src/up.ts': "export * from '@svc-asr/ledger';",
      'packages/core/src/out.ts': "import '../../ledger/src/index.ts';",
      'packages/core/src/a.ts': "import type { B } from './b.ts';",
      'packages/core/src/b.ts': "import type { A } from './a.ts';",
      'packages/ledger/src/type.ts': "import type { L } from '@svc-asr/runtime';",
      'gateway/src/a.test.ts': "import '@svc-asr/operator';",
      'gateway/src/own.ts': "import '@svc-asr/gateway';",
      'gateway/src/redis.ts': "import { createClient } from '@redis/client';",
      'gateway/src/ws.ts': "import WebSocket from 'ws';",
      'gateway/src/test.ts': "import { x } from '../../test/support/x.ts';",
      'console/page/a.js': "import { b } from '../src/b.js';",
      'console/src/b.js': '',
    });
    expect([...new Set(violations)].sort()).toEqual([
      'console/page/a.js -> console/src/b.js: page',
      'gateway/src/a.test.ts -> operator/src/index.ts: direction',
      'gateway/src/own.ts -> gateway/src/index.ts: own-package',
      'gateway/src/redis.ts -> @redis/client: redis',
      'gateway/src/test.ts -> test/support/x.ts: outside',
      'gateway/src/ws.ts -> node_modules/ws/index.js: undeclared',
      'packages/core/src/a.ts -> packages/core/src/b.ts: cycle',
      'packages/core/src/fs.ts -> fs: core-io',
      'packages/core/src/out.ts -> packages/ledger/src/index.ts: direction',
      'packages/core/src/out.ts -> packages/ledger/src/index.ts: outside',
      'packages/core/src/out.ts -> packages/ledger/src/index.ts: outside-of-test',
      'packages/core/src/up.ts -> packages/ledger/src/index.ts: direction',
      'packages/core/src/ws.ts -> node_modules/ws/index.js: core-packages',
      'packages/core/src/ws.ts -> node_modules/ws/index.js: undeclared',
      'packages/ledger/src/type.ts -> packages/runtime/src/index.ts: direction',
    ]);
  });
});

describe('in a sample repository without forbidden imports,', () => {
  const { folder, modules, violations } = check({
    'packages/core/src/a.test.ts': "import { readFileSync } from 'node:fs';",
    'packages/ledger/src/a.test.ts': "import '../../../test/support/x.ts';",
    'gateway/src/a.ts': "import express from 'express'; import './a/one.ts'; import '@svc-asr/ledger';",
    'gateway/src/a/one.ts': "import '../b/two.ts'; import '../c/three.ts';",
    'gateway/src/a/four.ts': "// import '@svc-asr/operator';\nconst text = \"import 'redis'\";",
    'gateway/src/b/two.ts': "import type { Four } from '../a/four.ts';",
    'gateway/src/c/three.ts': "import './d/five.ts';",
    'gateway/src/c/d/five.ts': "import '../six.ts';",
    'gateway/src/c/six.ts': '',
    'gateway/src/c/seven.test.ts': "import '../a/one.ts';",
    'console/page/a.js': "import { b } from './b.js';",
  });

  test('the rules report nothing', () => {
    expect(violations).toEqual([]);
  });

  test('findMutualFolders reports folders that import each other, but neither tests nor a folder and its subfolder', () => {
    expect(findMutualFolders(modules)).toEqual(['gateway/src/a <-> gateway/src/b']);
  });

  test('findUndeclared reports a workspace that the package.json does not name', () => {
    expect(findUndeclared(folder, modules)).toEqual(['gateway/src/a.ts imports @svc-asr/ledger']);
  });
});
