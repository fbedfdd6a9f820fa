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
/** Closes the pipe to the guard, which also happens when an operator is killed. */
const breakPipe = ({ pipe }: Guard) => pipe.destroy();

test('the worker guard ends the workers of a killed operator if no other operator takes over', async () => {
  owner('gone');
  breakPipe(startGuard(folder, 100));
  await eventually(() => expect(isRunning()).toBe(false));
});

test('the worker guard leaves the workers to an operator that has taken over', async () => {
  const guard = startGuard(folder, 100);
  takeOwnership(folder);
  breakPipe(guard);
  await pause(1000);
  expect(isRunning()).toBe(true);
});

test('the worker guard does not end the workers of an operator that shut down normally', async () => {
  owner('gone');
  startGuard(folder, 0).close();
  await pause(1000);
  expect(isRunning()).toBe(true);
});

test('takeOwnership rejects a folder that another running operator owns', () => {
  const child = { pid, identity: identityOf(pid) };
  writeFileSync(join(folder, 'owner'), JSON.stringify(child));
  expect(() => takeOwnership(folder)).toThrow(`is used by another operator (process ${pid})`);
});
