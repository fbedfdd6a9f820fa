// Waits for the end of its input. Unless the operator said `done`, ends the workers that no living operator owns once
// another had time to take them over. Arguments: state folder, milliseconds. See guard.ts.
import { setTimeout as sleep } from 'node:timers/promises';
import { endWorker } from './end.ts';
import { isOurs, openRecords } from './records.ts';
import { readOwner } from './owner.ts';

const GRACE_MS = 10_000;
const [folder = '', takeOverMs = '0'] = process.argv.slice(2);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
let said = '';
for await (const chunk of process.stdin) said += String(chunk);
if (!said.includes('done')) {
  await sleep(Number(takeOverMs));
  const owner = readOwner(folder);
  // Without an owner the folder was removed, and there is nobody to end.
  if (owner !== undefined && !isOurs(owner)) {
    await Promise.all(
      openRecords(folder)
        .read()
        .map((worker) => endWorker(worker, GRACE_MS)),
    );
  }
}
