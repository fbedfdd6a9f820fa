import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPILE_CACHE } from '../../test/support/compile-cache.ts';
import { root } from '../launch/terminal.mjs';
import { isAlive } from '../launch/processes.mjs';
import type { LocalJson } from './local-json.ts';
import { readLocalJson } from './local-json.ts';
import { isFree } from './ports.ts';
import { request } from './request.ts';

/** Each test starts and stops everything up to twice, on a machine that may be busy. */
const TIMEOUT_MS = 120_000;

const home = mkdtempSync(join(tmpdir(), 'svc-asr-start-'));
const localJson = join(home, 'local.json');
const started: ChildProcess[] = [];

afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

interface Run {
  child: ChildProcess;
  output: () => string;
  status: Promise<number | null>;
}

function start(env: NodeJS.ProcessEnv = {}): Run {
  const child = spawn(process.execPath, [join(root, 'tools/tasks/start.ts')], {
    // Runs the compiled services as users do, instead of the bundles that other tests run.
    env: { ...process.env, ...COMPILE_CACHE, SVC_ASR_PROGRAMS: undefined, SVC_ASR_HOME: home, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const status = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  return { child, output: () => output, status };
}

async function running(run: Run): Promise<LocalJson> {
  while (!run.output().includes('Ctrl-C stops everything')) {
    if (run.child.exitCode !== null) throw new Error(run.output());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return readLocalJson(localJson) as LocalJson;
}

/** Returns whether the gateway, the console and Redis listen. */
async function listening({ base_url, admin_url, redis_url }: LocalJson): Promise<boolean[]> {
  const ports = [base_url, admin_url, redis_url].map((url) => Number(new URL(url).port));
  return Promise.all(ports.map(async (port) => !(await isFree('127.0.0.1', port))));
}

test(
  'npm start runs all services with a working API key, and SIGINT stops all of them',
  async () => {
    const run = start();
    const local = await running(run);
    const ca = readFileSync(local.ca_file, 'utf8');
    expect(statSync(localJson).mode & 0o777).toBe(0o600);
    expect(local.pid).toBe(run.child.pid);
    expect(run.output()).toContain(local.base_url);
    expect(run.output()).toContain(local.api_key);
    expect(run.output()).not.toContain('\u001b');

    const models = await request(`${local.base_url}/v1/models`, { ca });
    expect(JSON.parse(models.body)).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ id: 'svc-asr-kikuyu-v1' })]),
    });
    const usage = await request(`${local.base_url}/v1/usage`, { ca, token: local.api_key });
    expect(usage.status).toBe(200);
    const session = {
      method: 'POST',
      ca,
      token: local.api_key,
      body: { model: 'svc-asr-kikuyu-v1', max_audio_seconds: 5 },
    };
    expect((await request(`${local.base_url}/v1/asr/sessions`, session)).status).toBe(201);
    // The gateway accepts a second session, because the limits of the tenant allow several sessions at the same time.
    // So users can run all printed commands.
    expect((await request(`${local.base_url}/v1/asr/sessions`, session)).status).toBe(201);

    const [, token = ''] = /\/#(local\.\S+)/.exec(run.output()) ?? [];
    const headers = { 'x-svc-asr-console': '1' };
    const signIn = () =>
      request(`${local.console_url}/console/v1/sign-in`, { method: 'POST', ca, headers, body: { token } });
    expect(await signIn()).toMatchObject({ status: 200, body: expect.stringContaining('"tenant":"local"') });
    expect((await signIn()).status).toBe(401);
    for (const url of [local.console_admin_url, local.gateway_admin_url, local.operator_admin_url]) {
      expect((await request(`${url}/readyz`)).status).toBe(200);
      expect((await request(`${url}/metrics`)).status).toBe(200);
    }

    const second = start();
    await expect(second.status).resolves.toBe(1);
    expect(second.output()).toContain(`npm start already runs for ${home} (process ${run.child.pid ?? 0})`);

    run.child.kill('SIGINT');
    await expect(run.status).resolves.toBe(0);
    await expect(listening(local)).resolves.toEqual([false, false, false]);
    expect(readLocalJson(localJson)).toEqual({ ...local, pid: undefined });
  },
  TIMEOUT_MS,
);

test(
  'a second npm start keeps the API key and the usage, restarts a killed gateway, and leaves no process when killed',
  async () => {
    const before = readLocalJson(localJson);
    const run = start();
    const local = await running(run);
    const ca = readFileSync(local.ca_file, 'utf8');
    expect(local.api_key).toBe(before?.api_key);
    expect(local.redis_url).toBe(before?.redis_url);
    const usage = await request(`${local.base_url}/v1/usage`, { ca, token: local.api_key });
    expect(JSON.parse(usage.body).recent_sessions).toHaveLength(2);

    process.kill(childNamed(run, 'gateway/dist/main.js'), 'SIGKILL');
    while (!run.output().includes('gateway ended by SIGKILL; restarting it in')) await pause();
    for (;;) {
      const answer = await request(`${local.base_url}/v1/models`, { ca }).catch(() => undefined);
      if (answer?.status === 200) break;
      await pause();
    }

    // The supervisor is killed and cannot stop its programs, so the guard process must do it.
    const [redis, gateway] = [
      childNamed(run, `127.0.0.1:${new URL(local.redis_url).port}`),
      childNamed(run, 'gateway/dist/main.js'),
    ];
    run.child.kill('SIGKILL');
    while (isAlive(redis) || isAlive(gateway)) await pause();
    // The guard ends the programs one after the other, Redis last. The port of a program may become free shortly after
    // the program has ended.
    while ((await listening(local)).includes(true)) await pause();
  },
  TIMEOUT_MS,
);

test(
  'npm start replaces the lock of a crashed run, and stops Redis when a service fails to start',
  async () => {
    const run = start({ LOG_LEVEL: 'nonsense' });
    await expect(run.status).resolves.toBe(1);
    expect(run.output()).toContain('LOG_LEVEL');
    const { redis } = JSON.parse(readFileSync(join(home, 'ports.json'), 'utf8')) as { redis: number };
    await expect(isFree('127.0.0.1', redis)).resolves.toBe(true);
  },
  TIMEOUT_MS,
);

/** Returns the pid of a child process whose command line contains a text. */
function childNamed(run: Run, text: string): number {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const pid = children.find((name) => {
    try {
      const parent = /\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1];
      return Number(parent) === run.child.pid && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
  if (pid === undefined) throw new Error(`no child with ${text}`);
  return Number(pid);
}

async function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
