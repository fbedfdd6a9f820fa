import { spawn } from 'node:child_process';
import { once } from 'node:events';

const LAUNCH = new URL('launch.ts', import.meta.url).href;

/** Starts a program, sends it the signal after its first output, and returns its exit status and signal. */
async function signalled(program: string, signal: NodeJS.Signals): Promise<unknown[]> {
  const source = `import { launch } from '${LAUNCH}'; ${program}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  child.kill(signal);
  return ended;
}

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('%s ends a program while its modules are loading, with exit status %i', async (signal, status) => {
  const neverLoaded = `await launch(() => { console.log('loading'); return new Promise(() => setInterval(() => 0, 1000)); });`;
  expect(await signalled(neverLoaded, signal)).toEqual([status, null]);
});

test('a program handles signals itself after launch() has started it', async () => {
  const stopsWith7 = `
    const run = async () => { process.once('SIGTERM', () => process.exit(7)); console.log('runs'); setInterval(() => 0, 1000); };
    await launch(async () => ({ run }));`;
  expect(await signalled(stopsWith7, 'SIGTERM')).toEqual([7, null]);
});
