import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AlreadyRunning, lockFolder } from './lock.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'svc-asr-lock-'))));
afterEach(() => rmSync(folder, { recursive: true }));

test('lockFolder rejects a second start on the same folder and names the process that holds it', () => {
  const unlock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(AlreadyRunning);
  expect(() => lockFolder(folder)).toThrow(`process ${process.pid}`);
  unlock();
  lockFolder(folder)();
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  [
    'a process that has ended',
    () => JSON.stringify({ pid: spawnSync(process.execPath, ['--version']).pid, startedAt: '1' }),
  ],
  ['a pid that another program has reused', () => JSON.stringify({ pid: process.pid, startedAt: '1' })],
  ['an incomplete file', () => '{"pid": '],
])('lockFolder ignores a lock with %s', (_whose, content) => {
  writeFileSync(join(folder, 'lock'), content());
  lockFolder(folder)();
  expect(readdirSync(folder)).toEqual([]);
});

test('unlock leaves the lock of another process in place', () => {
  const unlock = lockFolder(folder);
  writeFileSync(join(folder, 'lock'), JSON.stringify({ pid: 1, startedAt: undefined }));
  unlock();
  expect(readdirSync(folder)).toEqual(['lock']);
});
