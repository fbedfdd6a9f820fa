import { chmodSync, globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { root } from '../launch/terminal.mjs';
import { chooseTests } from './arguments.ts';
import { findValkey } from './server.ts';

test('for --short, chooseTests returns only patterns that match a test, and by default, a pattern that also matches the Sentinel and fault tests', () => {
  const files = globSync('{packages,gateway,operator,worker,test}/**/*.test.ts', {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name === 'dist',
  }).map((file) => `${root}/${file}`);
  const match = (pattern: string) => files.filter((file) => new RegExp(pattern).test(file));
  const short = chooseTests(['--short']);
  expect(short.length).toBeGreaterThan(1);
  expect(short.filter((pattern) => match(pattern).length === 0)).toEqual([]);
  const [all = ''] = chooseTests([]);
  expect(match(all)).toEqual(
    expect.arrayContaining(match('packages/ledger/src/redis/sentinel.integration|test/faults/')),
  );
});

test('chooseTests returns paths and jest options unchanged', () => {
  expect(chooseTests(['packages/ledger', '-t', 'a lease'])).toEqual(['packages/ledger', '-t', 'a lease']);
});

test('findValkey returns the valkey-server on PATH, but undefined if the program cannot print its version', () => {
  const folder = temporaryFolder('valkey');
  const path = join(folder, 'valkey-server');
  writeFileSync(path, '#!/bin/sh\nexit 1\n');
  chmodSync(path, 0o755);
  expect(findValkey(folder)).toBeUndefined();
  writeFileSync(path, "#!/bin/sh\necho 'Valkey server v=8.1.1 sha=00000000:0 bits=64 build=1'\n");
  expect(findValkey(folder)).toEqual({ path, version: '8.1.1' });
});
