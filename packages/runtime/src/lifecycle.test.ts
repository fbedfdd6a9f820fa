import { spawn } from 'node:child_process';
import { once } from 'node:events';

const LIFECYCLE = new URL('lifecycle.ts', import.meta.url).href;

test('a step of the wall clock does not end the grace period of a shutdown', async () => {
  const source = `
    import { runService } from '${LIFECYCLE}';
    const log = (...values) => console.log(values.at(-1));
    const stepClock = () => { const now = Date.now; Date.now = () => now() + 3_600_000; };
    const work = async () => { await new Promise((resolve) => setTimeout(resolve, 100)); console.log('the work is done'); };
    setInterval(() => 0, 1000);
    await runService({ info: log, error: log, fatal: log }, 60_000, async () => {
      console.log('ready');
      return [{ name: 'step the clock', stop: stepClock }, { name: 'work', stop: work }];
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  const ended = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), ended]);
  child.kill('SIGTERM');
  await ended;
  expect(output).toContain('the work is done');
  expect(output).not.toContain('a shutdown step failed');
});
