import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AlreadyRunning, lockFolder } from './lock.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'svc-asr-lock-'))));
afterEach(() => rmSync(folder, { recursive: true }));

test('a second start on the same folder is refused and told by whom', () => {
  const unlock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(AlreadyRunning);
  expect(() => lockFolder(folder)).toThrow(`process ${process.pid}`);
  unlock();
  lockFolder(folder)();
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  [
    'a process that is gone',
    () => JSON.stringify({ pid: spawnSync(process.execPath, ['--version']).pid, startedAt: '1' }),
  ],
  ['a pid that another program has now', () => JSON.stringify({ pid: process.pid, startedAt: '1' })],
  ['half a file', () => '{"pid": '],
])('the lock of %s counts for nothing', (_whose, content) => {
  writeFileSync(join(folder, 'lock'), content());
  lockFolder(folder)();
  expect(readdirSync(folder)).toEqual([]);
});

test('giving back leaves the lock of somebody else alone', () => {
  const unlock = lockFolder(folder);
  writeFileSync(join(folder, 'lock'), JSON.stringify({ pid: 1, startedAt: undefined }));
  unlock();
  expect(readdirSync(folder)).toEqual(['lock']);
});
