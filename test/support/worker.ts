import { spawn } from 'node:child_process';
import { connectRedis, loadFunctions } from '@svc-asr/ledger';
import { COMPILE_CACHE } from './compile-cache.ts';
import { connected } from './connected.ts';
import { MODEL } from './gateway.ts';
import { hasEnded, killAfterFile } from './leftovers.ts';
import { freePort } from './ports.ts';
import { programFile } from './programs.ts';
import { modelFolder } from './recording.ts';
import { ticketKeyFiles } from './ticket-keys.ts';

/** A worker process with the Kikuyu demo model, for one test. */
export interface TestWorker {
  readonly id: string;
  readonly pid: number;
  readonly adminUrl: string;
  output: () => string;
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

let started = 0;

/** Starts a worker and waits until it can accept streams. */
export async function startWorker(
  redisUrl: string,
  prefix: string,
  env: NodeJS.ProcessEnv = {},
  { readyWithinMs = 60_000 } = {},
): Promise<TestWorker> {
  // The worker calls Redis functions. If Redis has ACL users, only the operator may load these functions, so this code
  // does not load them.
  if (!redisUrl.includes('@')) await prepareRedis(redisUrl);
  const adminPort = await freePort();
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  const id = `w${process.pid}-${++started}`;
  const child = spawn(process.execPath, [programFile('worker')], {
    env: {
      ...COMPILE_CACHE,
      PATH: process.env.PATH,
      MODEL,
      MODEL_DIR: modelFolder(MODEL),
      WORKER_ID: id,
      WORKER_TICKET_PUBLIC_KEYS_FILE: ticketKeyFiles().publicKeysFile,
      SLOTS: '20',
      // The worker offers all slots even on a busy machine.
      LEAST_SLOTS_PERCENT: '100',
      // The worker warms up with batches of up to this size. A small size shortens its start.
      MAX_BATCH: '4',
      MEASURE_SECONDS: '0',
      ADMIN_HOST: '127.0.0.1',
      ADMIN_PORT: String(adminPort),
      REDIS_URL: redisUrl,
      REDIS_KEY_PREFIX: prefix,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  killAfterFile(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const deadline = Date.now() + readyWithinMs;
  const isReady = async () => {
    try {
      return (await fetch(`${adminUrl}/readyz`)).ok;
    } catch {
      return false;
    }
  };
  while (!(await isReady())) {
    if (hasEnded(child) || Date.now() > deadline) throw new Error(`the worker did not become ready: ${output}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    id,
    pid: child.pid ?? 0,
    adminUrl,
    output: () => output,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      return exited;
    },
  };
}

/** Loads the Redis functions that workers call, as an operator does. */
export async function prepareRedis(url: string): Promise<void> {
  const link = connectRedis({ url, name: 'test', timeoutMs: 5000 });
  await connected(link);
  await loadFunctions(link.masters());
  await link.close();
}
