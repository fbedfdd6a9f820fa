import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseTicketKey, signTicket } from '@svc-asr/runtime';
import { COMPILE_CACHE } from '../../../test/support/compile-cache.ts';
import { killAfterFile } from '../../../test/support/leftovers.ts';
import { programFile } from '../../../test/support/programs.ts';
import { ticketKeyFiles } from '../../../test/support/ticket-keys.ts';
import { modelsFolder } from './data.ts';
import { RelayClient } from './relay-client.ts';

export const MODEL = 'svc-asr-kikuyu-v1';
export const MODEL_DIR = join(modelsFolder, MODEL);

/** A worker process for a test. */
export interface TestWorker {
  readonly id: string;
  readonly pid: number;
  readonly adminUrl: string;
  /** Returns all output of the process since its start. */
  output: () => string;
  /** Resolves when the process has ended, to its exit status or to the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  kill: (signal: NodeJS.Signals) => void;
}

/**
 * Starts a worker with the Kikuyu model and two slots. `env` overrides settings of the worker. `preload` is code that
 * runs before the code of the worker.
 */
export function spawnWorker(adminPort: number, env: NodeJS.ProcessEnv, preload?: string): TestWorker {
  const id = `worker-${randomUUID()}`;
  const before = preload === undefined ? [] : ['--import', `data:text/javascript,${encodeURIComponent(preload)}`];
  const child = spawn(process.execPath, ['--no-warnings', ...before, programFile('worker')], {
    env: {
      ...COMPILE_CACHE,
      PATH: process.env.PATH,
      MODEL,
      MODEL_DIR,
      SLOTS: '2',
      // With this setting, the worker always offers all slots, even on a busy machine.
      LEAST_SLOTS_PERCENT: '100',
      MEASURE_SECONDS: '0',
      WORKER_ID: id,
      WORKER_TICKET_PUBLIC_KEYS_FILE: ticketKeyFiles().publicKeysFile,
      ADMIN_HOST: '127.0.0.1',
      ADMIN_PORT: String(adminPort),
      LEASE_MS: '4000',
      LEASE_RENEW_MS: '1000',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  killAfterFile(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  return {
    id,
    pid: child.pid ?? 0,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    output: () => output,
    ended: new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal))),
    kill: (signal) => void child.kill(signal),
  };
}

/**
 * Requests a path of the worker's admin port. Returns the status and the body, or undefined if the port does not
 * answer.
 */
export async function ask(worker: TestWorker, path: string): Promise<[status: number, body: string] | undefined> {
  try {
    const response = await fetch(worker.adminUrl + path);
    return [response.status, await response.text()];
  } catch {
    return undefined;
  }
}

/** Creates a ticket for a stream on a worker. */
export function createTicket(worker: string, model = MODEL): string {
  const key = parseTicketKey(readFileSync(ticketKeyFiles().keyFile, 'utf8'));
  return signTicket(key, { session: randomUUID(), model, worker, epoch: 1, expMs: Date.now() + 60_000 });
}

/** Opens a stream on a worker, in the same way as a gateway that has read the worker's address from the ledger. */
export async function openStream(
  { id, address }: { id: string; address: string },
  ca?: string,
  model = MODEL,
): Promise<RelayClient> {
  const client = await RelayClient.connect(address, createTicket(id, model), ca);
  client.send({ type: 'open', context: [56, 13] });
  await client.next('opened');
  return client;
}
