import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../testing/eventually.ts';
import { startGuard } from './guard.ts';
import type { Guard } from './guard.ts';
import { identityOf } from './identity.ts';
import { takeOwnership } from './owner.ts';
import { openRecords } from './records.ts';

let folder: string;
let pid: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-asr-guard-'));
  pid = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' }).pid!;
  openRecords(folder).put({
    id: 'w',
    model: 'm',
    revision: 'r',
    pid,
    identity: identityOf(pid)!,
    startedAtMs: 0,
  });
});
afterEach(() => {
  if (identityOf(pid) !== undefined) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true });
});

const isRunning = () => identityOf(pid) !== undefined;
const owner = (identity: string) => writeFileSync(join(folder, 'owner'), JSON.stringify({ pid: 2 ** 30, identity }));
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** What the pipe of an operator that was killed looks like to its guard. */
const breakPipe = ({ pipe }: Guard) => pipe.destroy();

test('ends the workers of an operator that is gone when no other has taken them over', async () => {
  owner('gone');
  breakPipe(startGuard(folder, 100));
  await eventually(() => expect(isRunning()).toBe(false));
});

test('leaves them to an operator that has', async () => {
  const guard = startGuard(folder, 100);
  takeOwnership(folder);
  breakPipe(guard);
  await pause(1000);
  expect(isRunning()).toBe(true);
});

test('leaves them alone when the operator stopped by itself', async () => {
  owner('gone');
  startGuard(folder, 0).close();
  await pause(1000);
  expect(isRunning()).toBe(true);
});

test('a folder is refused to a second operator while the first lives', () => {
  const child = { pid, identity: identityOf(pid) };
  writeFileSync(join(folder, 'owner'), JSON.stringify(child));
  expect(() => takeOwnership(folder)).toThrow(`belongs to another operator (process ${pid})`);
});
