import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryLock, withLock } from './lock.mjs';

let folder: string;
let lock: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-asr-lock-'));
  lock = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Takes the lock, which must be free. */
function take(): () => void {
  const release = tryLock(lock);
  if (typeof release === 'number') throw new Error(`process ${release} holds the lock`);
  return release;
}

test('tryLock returns the pid of a process that already holds the lock, and takes the lock after its release', () => {
  const release = take();
  expect(tryLock(lock)).toBe(process.pid);
  release();
  take()();
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  [
    'a process that has ended',
    () => JSON.stringify({ pid: spawnSync(process.execPath, ['--version']).pid, startedAt: '1' }),
  ],
  ['a pid that another program has reused', () => JSON.stringify({ pid: process.pid, startedAt: '1' })],
  ['an incomplete file', () => '{"pid": '],
])('tryLock ignores a lock with %s', (_whose, content) => {
  writeFileSync(lock, content());
  take()();
  expect(readdirSync(folder)).toEqual([]);
});

test('releasing a lock does not remove a lock that another process has taken meanwhile', () => {
  const release = take();
  writeFileSync(lock, JSON.stringify({ pid: 1, startedAt: undefined }));
  release();
  expect(readdirSync(folder)).toEqual(['lock']);
});

test('withLock runs one task at a time and releases the lock after a failure', async () => {
  const order: string[] = [];
  const first = withLock(lock, 'waiting', async () => {
    order.push('first starts');
    await new Promise((resolve) => setTimeout(resolve, 50));
    order.push('first ends');
    throw new Error('failed');
  });
  const second = withLock(lock, 'waiting', () => order.push('second starts'));
  await expect(first).rejects.toThrow('failed');
  await second;
  expect(order).toEqual(['first starts', 'first ends', 'second starts']);
  expect(existsSync(lock)).toBe(false);
});
