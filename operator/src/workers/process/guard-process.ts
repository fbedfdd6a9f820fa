// The guard process. It waits until its standard input closes. If the operator did not write `done` before that, the
// guard gives another operator time to take over. Then the guard ends the workers, unless a running operator owns them.
// Arguments: state folder, milliseconds to wait. See guard.ts.
import { setTimeout as sleep } from 'node:timers/promises';
import { endWorker } from './end.ts';
import { isOurs, openRecords } from './records.ts';
import { readOwner } from './owner.ts';

const GRACE_MS = 10_000;
const [folder = '', takeOverMs = '0'] = process.argv.slice(2);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
let input = '';
for await (const chunk of process.stdin) input += String(chunk);
if (!input.includes('done')) {
  await sleep(Number(takeOverMs));
  const owner = readOwner(folder);
  // If there is no owner, the folder was removed, and there is no worker to end.
  if (owner !== undefined && !isOurs(owner)) {
    await Promise.all(
      openRecords(folder)
        .read()
        .map((worker) => endWorker(worker, GRACE_MS)),
    );
  }
}
