import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../../tools/launch/processes.mjs';
import type { Guard } from '../../../tools/supervise/guard.ts';
import { startOnFreePort, startServer } from './server.ts';
import type { Place } from './server.ts';

let place: Place;
let watched: Set<number>;
beforeEach(() => {
  watched = new Set();
  const guard: Guard = {
    pid: undefined,
    watch: (pid) => void watched.add(pid),
    forget: (pid) => void watched.delete(pid),
    close: () => undefined,
  };
  place = { folder: mkdtempSync(join(tmpdir(), 'svc-asr-server-')), guard };
});
afterEach(() => rmSync(place.folder, { recursive: true }));

const program = (script: string, isReady = true) => ({
  name: 'program',
  command: process.execPath,
  args: ['-e', script],
  isReady: () => Promise.resolve(isReady),
});

test('while a process of startServer runs, it is registered with the guard, which ends processes that are left over', async () => {
  const server = await startServer(program('setInterval(() => 0, 1000)'), place);
  expect([...watched]).toEqual([server.pid]);
  expect(isAlive(server.pid)).toBe(true);
  await server.kill();
  expect(watched.size).toBe(0);
  expect(isAlive(server.pid)).toBe(false);
  await server.kill();
});

test('startServer fails if the process ends before it is ready, and the error contains the end of the log', async () => {
  const failing = startServer(program('console.error("no such flag"); process.exit(2)', false), place);
  await expect(failing).rejects.toThrow(/^program ended with 2; .*program\.log:\nno such flag$/);
  expect(readFileSync(join(place.folder, 'program.log'), 'utf8')).toBe('no such flag\n');
});

test('startServer fails if the program does not exist, and the error contains the name of the program', async () => {
  const spec = { ...program('', false), command: join(place.folder, 'none') };
  await expect(startServer(spec, place)).rejects.toThrow('program could not be run');
});

test('startOnFreePort tries another port if one is in use', async () => {
  const ports: number[] = [];
  const server = await startOnFreePort((port) => {
    ports.push(port);
    if (ports.length > 2) return startServer(program('setInterval(() => 0, 1000)'), place);
    return startServer(program('console.error("bind: address already in use"); process.exit(1)', false), place);
  });
  expect(ports).toHaveLength(3);
  await server.kill();
});

test('startOnFreePort does not retry after a failure other than a used port', async () => {
  let tries = 0;
  const failing = startOnFreePort(() => {
    tries += 1;
    return Promise.reject(new Error('broken'));
  });
  await expect(failing).rejects.toThrow('broken');
  expect(tries).toBe(1);
});
