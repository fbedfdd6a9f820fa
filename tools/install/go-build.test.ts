import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../test/support/eventually.ts';
import { whileLocked } from './build-lock.ts';
import { buildArguments, buildPrograms } from './go-build.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-asr-go-'));
  mkdirSync(join(folder, 'target'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Something that is called as Go is, and does what a script says; `$out` is where programs belong. */
function fakeGo(script: string) {
  const path = join(folder, 'go');
  const output = 'while [ "$1" != -o ]; do shift; done; out=$2';
  writeFileSync(path, `#!/bin/sh\nset -e\n${output}\n${script}\n`);
  chmodSync(path, 0o755);
  return { path, env: { FROM_US: 'yes' } };
}

function build() {
  return { folder, packages: { one: 'example.com/cmd/one' }, ldflags: ['-X a.b=c'], target: join(folder, 'target') };
}

test('what is built appears in the target, and nothing else', async () => {
  await buildPrograms(fakeGo('echo "$FROM_US" > "$out/one"; echo more > "$out/other"'), build());
  expect(readdirSync(join(folder, 'target'))).toEqual(['one']);
  expect(readFileSync(join(folder, 'target', 'one'), 'utf8')).toBe('yes\n');
});

test('a build that fails leaves nothing and says what to do', async () => {
  const go = fakeGo('echo half > "$out/one"; exit 3');
  await expect(buildPrograms(go, build())).rejects.toThrow(/building one failed \(go ended with 3\).*run again/);
  expect(readdirSync(join(folder, 'target'))).toEqual([]);
});

test('a Go that cannot be run is told of', async () => {
  await expect(buildPrograms({ path: join(folder, 'none'), env: {} }, build())).rejects.toThrow('ENOENT');
});

test('a build that is killed leaves nothing that looks like a program', async () => {
  const go = fakeGo(`echo half > "$out/one"; echo $$ > ${join(folder, 'pid')}; exec sleep 300`);
  const source = JSON.stringify(join(import.meta.dirname, 'go-build.ts'));
  const script = `import { buildPrograms } from ${source};
    await buildPrograms(${JSON.stringify(go)}, ${JSON.stringify(build())});`;
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const target = join(folder, 'target');
  await eventually('the build has begun', 60_000, () => existsSync(join(folder, 'pid')));
  child.kill('SIGKILL');
  await ended;
  process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')));
  expect(existsSync(join(target, 'one'))).toBe(false);
}, 90_000);

test('only what go.mod and go.sum say is built', () => {
  expect(buildArguments(build(), '/draft')).toEqual([
    'build',
    '-mod=readonly',
    '-trimpath',
    '-buildvcs=false',
    '-v',
    '-ldflags=-s -w -X a.b=c',
    '-o',
    '/draft/',
    'example.com/cmd/one',
  ]);
});

test('a lock is held by one at a time, and given back after a failure too', async () => {
  const order: string[] = [];
  const first = whileLocked(folder, 'waiting', async () => {
    order.push('first begins');
    await new Promise((resolve) => setTimeout(resolve, 50));
    order.push('first ends');
    throw new Error('failed');
  });
  const second = whileLocked(folder, 'waiting', () => Promise.resolve(order.push('second begins')));
  await expect(first).rejects.toThrow('failed');
  await second;
  expect(order).toEqual(['first begins', 'first ends', 'second begins']);
  expect(existsSync(join(folder, 'lock'))).toBe(false);
});
