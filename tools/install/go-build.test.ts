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

/** Creates a fake Go command that runs a script. `$out` is the folder for the programs. */
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

test('buildPrograms puts only the requested programs into the target', async () => {
  await buildPrograms(fakeGo('echo "$FROM_US" > "$out/one"; echo more > "$out/other"'), build());
  expect(readdirSync(join(folder, 'target'))).toEqual(['one']);
  expect(readFileSync(join(folder, 'target', 'one'), 'utf8')).toBe('yes\n');
});

test('buildPrograms leaves nothing in the target when the build fails, and says what to do', async () => {
  const go = fakeGo('echo half > "$out/one"; exit 3');
  await expect(buildPrograms(go, build())).rejects.toThrow(/building one failed \(go ended with 3\).*run again/);
  expect(readdirSync(join(folder, 'target'))).toEqual([]);
});

test('buildPrograms rejects when Go cannot be run', async () => {
  await expect(buildPrograms({ path: join(folder, 'none'), env: {} }, build())).rejects.toThrow('ENOENT');
});

test('buildPrograms leaves no incomplete program when its process is killed', async () => {
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

test('buildArguments builds only what go.mod and go.sum pin', () => {
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

test('whileLocked runs one task at a time and releases the lock after a failure', async () => {
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
