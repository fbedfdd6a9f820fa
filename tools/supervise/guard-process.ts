// Reads `+PID` and `-PID` lines. When the input ends, stops the processes that are still listed. See guard.ts.
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../launch/processes.mjs';
import { endGroup } from './signals.ts';

const GRACE_MS = 10_000;
const POLL_MS = 50;

const watched = new Set<number>();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
for await (const line of createInterface({ input: process.stdin })) {
  const pid = Number(line.slice(1));
  if (line.startsWith('+')) watched.add(pid);
  else watched.delete(pid);
}
for (const pid of [...watched].reverse()) await end(pid);

async function end(pid: number): Promise<void> {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // The process has ended already, but its group may still have members.
  }
  const deadline = Date.now() + GRACE_MS;
  while (isAlive(pid) && Date.now() < deadline) await sleep(POLL_MS);
  endGroup(pid);
}
