import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { findRedisServer, untilReady } from '../redis.ts';
import { killAfterFile } from '../leftovers.ts';
import { freePort } from '../ports.ts';
import { ask } from '../redis-cluster.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { prepareClocks } from './process-clock.ts';

const HOUR_MS = 3_600_000;
/**
 * Tolerance when clocks are compared. It is larger than any pause of the machine, and smaller than every step of a
 * clock.
 */
const TOLERANCE_MS = 60_000;
const SCRIPT = `process.on('message', () => process.send([Date.now(), performance.now()]))`;

test('a step of a test clock changes the wall clock of one Node process, but not its monotonic clock', async () => {
  const clocks = await prepareClocks(temporaryFolder('clock'));
  const [stepped, other] = [clocks.create('stepped'), clocks.create('other')];
  const [first, second] = [stepped, other].map(({ env }) => {
    const child = spawn(process.execPath, ['-e', SCRIPT], { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    killAfterFile(child);
    return child;
  });
  for (const offsetMs of [0, HOUR_MS, -HOUR_MS, 0]) {
    stepped.set(offsetMs);
    const [wallMs, monotonicMs] = await readClocks(first!);
    const [otherMs] = await readClocks(second!);
    expect(Math.abs(wallMs - Date.now() - offsetMs)).toBeLessThan(TOLERANCE_MS);
    expect(monotonicMs).toBeLessThan(TOLERANCE_MS);
    expect(Math.abs(otherMs - Date.now())).toBeLessThan(TOLERANCE_MS);
  }
});

test('a forward step of the clock of Redis expires its keys, and a backward step does not', async () => {
  const clock = (await prepareClocks(temporaryFolder('clock'))).create('redis');
  const port = await freePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', temporaryFolder('redis')];
  const child = spawn(findRedisServer(), options, { env: clock.env, stdio: 'ignore' });
  killAfterFile(child);
  await untilReady(child, port);
  await ask(port, `SET key value PX ${HOUR_MS / 2}`);
  clock.set(-HOUR_MS);
  expect(await ask(port, 'EXISTS key')).toContain(':1');
  clock.set(HOUR_MS);
  expect(await ask(port, 'EXISTS key')).toContain(':0');
  const [seconds = ''] = /\d{10}/.exec(await ask(port, 'TIME')) ?? [];
  expect(Math.abs(Number(seconds) * 1000 - Date.now() - HOUR_MS)).toBeLessThan(TOLERANCE_MS);
});

/** Returns the wall clock and the monotonic clock of a process. */
async function readClocks(child: ChildProcess): Promise<[number, number]> {
  child.send('read');
  const [message] = (await once(child, 'message')) as [[number, number]];
  return message;
}
