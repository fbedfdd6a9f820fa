import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from './eventually.ts';
import { freeze, thaw } from './freeze.ts';
import { killAfterFile } from './leftovers.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A program with three threads that write to a file. */
const WRITER = `
const { appendFileSync } = require('node:fs');
const { Worker, isMainThread, workerData } = require('node:worker_threads');
if (isMainThread) {
  const [code, file] = [process.execArgv[1], process.argv[1]];
  for (let n = 0; n < 3; n++) new Worker(code, { eval: true, workerData: file });
} else {
  setInterval(() => appendFileSync(workerData, '.'), 1);
}`;

test('a frozen process does nothing until it is thawed', async () => {
  const file = join(temporaryFolder('freeze'), 'written');
  const child = spawn(process.execPath, ['-e', WRITER, file], { stdio: 'inherit' });
  killAfterFile(child);
  const sizeOf = () => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  for (let round = 0; round < 5; round++) {
    const before = sizeOf();
    await eventually('the process writes', 30_000, () => sizeOf() > before);
    await freeze(child.pid!);
    const frozen = sizeOf();
    await sleep(50);
    expect(sizeOf()).toBe(frozen);
    thaw(child.pid!);
  }
});
