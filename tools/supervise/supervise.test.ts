import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../launch/processes.mjs';
import { createFleet } from './fleet.ts';
import type { Fleet } from './fleet.ts';
import { openLogFile } from './logfile.ts';
import { countFailures, ProgramDied, restartDelayMs } from './program.ts';
import { summarize } from './summary.ts';

test('restartDelayMs doubles with each consecutive failure, up to ten seconds', () => {
  expect([1, 2, 3, 4, 10].map(restartDelayMs)).toEqual([250, 500, 1000, 2000, 10_000]);
});

test('countFailures returns 1 for the first failure after a program has run for 30 seconds', () => {
  expect(countFailures(4, 1000)).toBe(5);
  expect(countFailures(4, 30_000)).toBe(1);
});

test.each([
  [{ level: 'info', message: 'ready' }, undefined],
  [
    { level: 'warn', message: 'file refused', file: 'a.yaml', problems: 'spec.state: is wrong', tenant: 'x' },
    { level: 'warn', text: 'file refused · file: a.yaml · problems: spec.state: is wrong' },
  ],
  [
    { level: 'fatal', message: 'could not start', err: { message: 'PORT is taken' } },
    { level: 'error', text: 'could not start · PORT is taken' },
  ],
])('summarize() returns a short form of the log line %j, or undefined if it is not important', (entry, shown) => {
  expect(summarize(JSON.stringify(entry))).toEqual(shown);
});

test('of the lines that are not JSON, summarize() shows only those that report an error', () => {
  expect(summarize('12:M 01 Jan 2026 00:00:00.000 * Ready to accept connections')).toBeUndefined();
  expect(summarize("# Fatal error, can't open config file")).toMatchObject({ level: 'error' });
  expect(summarize('{not json, failed')?.level).toBe('error');
});

describe('createFleet', () => {
  let folder: string;
  let fleet: Fleet;
  let shown: string[];
  const script = (name: string, code: string, graceMs = 60_000) => ({
    name,
    command: process.execPath,
    args: ['-e', code],
    env: process.env,
    graceMs,
  });
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  const log = (name: string) =>
    existsSync(join(folder, `${name}.log`)) ? readFileSync(join(folder, `${name}.log`), 'utf8') : '';
  const up = (name: string) => () => until(() => log(name).includes('up'));
  const pidsIn = (name: string) => [...log(name).matchAll(/up (\d+)/g)].map(([, pid]) => Number(pid));
  /** Program that prints its pid, runs until SIGTERM and then prints when it was stopped. */
  const steady =
    "process.on('SIGTERM', () => { console.log('stopped ' + Date.now()); setTimeout(() => process.exit(0), 30); }); setInterval(() => 0, 1000); console.log('up ' + process.pid);";

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-asr-fleet-'));
    shown = [];
    fleet = createFleet({ logFolder: folder, node: process.execPath, show: (_level, text) => shown.push(text) });
  });
  afterEach(async () => {
    fleet.kill();
    await new Promise((resolve) => setTimeout(resolve, 50));
    rmSync(folder, { recursive: true, force: true });
  });

  test('restarts a program that was killed, and shows a message about this', async () => {
    await fleet.run(script('steady', steady), up('steady'));
    const [first = 0] = pidsIn('steady');
    process.kill(first, 'SIGKILL');
    await until(() => pidsIn('steady').length === 2);
    expect(shown).toEqual(['steady ended by SIGKILL; restarting it in 250 ms']);
    expect(isAlive(first)).toBe(false);
    await fleet.stop();
    expect(pidsIn('steady').filter(isAlive)).toEqual([]);
  });

  test('stops programs one after the other, in the reverse of the order in which they started', async () => {
    await fleet.run(script('first', steady), up('first'));
    await fleet.run(script('second', steady), up('second'));
    await fleet.stop();
    const stoppedAt = (name: string) => Number(/stopped (\d+)/.exec(log(name))?.[1]);
    expect(stoppedAt('first')).toBeGreaterThan(stoppedAt('second'));
    expect([...pidsIn('first'), ...pidsIn('second')].filter(isAlive)).toEqual([]);
  });

  test('kills a program that ignores SIGTERM, and its children, after the grace period', async () => {
    const stubborn = `process.on('SIGTERM', () => 0);
      const child = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], {stdio: 'inherit'});
      console.log('up ' + process.pid); console.log('up ' + child.pid); setInterval(() => 0, 1000);`;
    await fleet.run(script('stubborn', stubborn, 500), () => until(() => pidsIn('stubborn').length === 2));
    await fleet.stop();
    // The program's child process is not a child of this test. No event reports its end, so the test polls.
    await until(() => !pidsIn('stubborn').some(isAlive));
  });

  test('rejects with the last log lines if a program ends while it starts', async () => {
    const failing = "console.error('no such setting'); process.exit(3);";
    const failure: unknown = await fleet
      .run(script('failing', failing), () => new Promise(() => undefined))
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ProgramDied);
    expect((failure as ProgramDied).message).toBe('failing ended with status 3');
    expect((failure as ProgramDied).tail).toContain('no such setting');
    await fleet.stop();
  });

  test('rejects if a program cannot be run', async () => {
    const missing = { ...script('missing', ''), command: join(folder, 'no-such-program') };
    await expect(fleet.run(missing, () => new Promise(() => undefined))).rejects.toThrow(
      /could not be started: .*ENOENT/,
    );
    await fleet.stop();
  });
});

test('openLogFile creates a file that only its owner can read, and keeps the three previous files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-logs-'));
  const file = join(folder, 'x.log');
  for (const line of ['one', 'two', 'three', 'four', 'five']) {
    const opened = openLogFile(file);
    opened.write(line);
    opened.close();
  }
  const kept = [file, `${file}.1`, `${file}.2`, `${file}.3`].map((name) => readFileSync(name, 'utf8').trim());
  expect(kept).toEqual(['five', 'four', 'three', 'two']);
  expect(existsSync(`${file}.4`)).toBe(false);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  rmSync(folder, { recursive: true });
});
