import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { isAlive } from '../launch/processes.mjs';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('the guard ends watched programs when their supervisor is killed', async () => {
  const guard = JSON.stringify(join(import.meta.dirname, 'guard.ts'));
  const supervisor = spawn(
    process.execPath,
    [
      '--no-warnings',
      '--input-type=module',
      '-e',
      `import { spawn } from 'node:child_process';
       import { startGuard } from ${guard};
       const guard = startGuard(process.execPath);
       const run = () => spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], {detached: true, stdio: 'ignore'}).pid;
       const [watched, forgotten] = [run(), run()];
       guard.watch(watched); guard.watch(forgotten); guard.forget(forgotten);
       setTimeout(() => console.log([guard.pid, watched, forgotten].join(' ')), 300);
       setInterval(() => 0, 1000);`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const line = await new Promise<string>((resolve) =>
    supervisor.stdout.on('data', (data: Buffer) => resolve(data.toString())),
  );
  const [guardPid = 0, watched = 0, forgotten = 0] = line.trim().split(' ').map(Number);
  try {
    expect([guardPid, watched, forgotten].map(isAlive)).toEqual([true, true, true]);
    supervisor.kill('SIGKILL');
    while (isAlive(watched) || isAlive(guardPid)) await pause(20);
    expect(isAlive(forgotten)).toBe(true);
  } finally {
    process.kill(forgotten, 'SIGKILL');
  }
});
