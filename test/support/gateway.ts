import { spawn } from 'node:child_process';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { generateApiKey } from '@svc-asr/core';
import type { Ledger, TenantSettings } from '@svc-asr/ledger';
import { COMPILE_CACHE } from './compile-cache.ts';
import { hasEnded, killAfterFile } from './leftovers.ts';
import { createTenant } from './ledger.ts';
import { freePort } from './ports.ts';
import { programFile } from './programs.ts';
import { ticketKeyFiles } from './ticket-keys.ts';

/** A gateway process that serves plain HTTP, for one test file. */
export interface TestGateway {
  readonly baseUrl: string;
  readonly adminUrl: string;
  readonly pid: number;
  /** Output of the process. It lacks standard output if `readsOutput` is false. */
  output: () => string;
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

function ring(id: string, secret: Buffer): string {
  return JSON.stringify({ current: id, secrets: { [id]: secret.toString('base64') } });
}

const PEPPER = randomBytes(32);
/** Secrets of the gateways of a test, from which session credentials are derived. */
export const SESSION_SECRETS = ring('s1', randomBytes(32));

export const MODEL = 'svc-asr-kikuyu-v1';

/**
 * Time limits that are long enough for a gateway on a busy machine. A test in which a limit must expire sets a shorter
 * one.
 */
const PATIENT = {
  REDIS_TIMEOUT_MS: '5000',
  REQUEST_DEADLINE_MS: '10000',
  PROVISIONAL_LEASE_MS: '30000',
  STREAM_QUEUE_TTL_MS: '15000',
  WORKER_OPEN_TIMEOUT_MS: '10000',
  WORKER_SILENCE_TIMEOUT_MS: '5000',
  STREAM_FINAL_TIMEOUT_MS: '20000',
  // Tests send many requests that are refused, and should not wait for the delay of refusals.
  REFUSAL_DELAY_MS: '0',
};

/** Starts a gateway and waits until it is ready. */
export async function startGateway(
  redisUrl: string,
  prefix: string,
  env: NodeJS.ProcessEnv = {},
  { readsOutput = true } = {},
): Promise<TestGateway> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, [programFile('gateway')], {
    env: {
      ...COMPILE_CACHE,
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      ADMIN_HOST: '127.0.0.1',
      ADMIN_PORT: String(adminPort),
      REDIS_URL: redisUrl,
      REDIS_KEY_PREFIX: prefix,
      API_KEY_PEPPERS: ring('p1', PEPPER),
      SESSION_SECRETS: SESSION_SECRETS,
      WORKER_TICKET_KEY_FILE: ticketKeyFiles().keyFile,
      ...PATIENT,
      ...env,
    },
    stdio: ['ignore', readsOutput ? 'pipe' : 'ignore', 'pipe'],
  });
  killAfterFile(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => (output += data.toString()));
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const gateway: TestGateway = {
    baseUrl: `http://127.0.0.1:${port}`,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    pid: child.pid ?? 0,
    output: () => output,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      return exited;
    },
  };
  const deadline = Date.now() + 60_000;
  while (!(await isReady(gateway))) {
    if (hasEnded(child) || Date.now() > deadline) throw new Error(`the gateway did not become ready: ${output}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return gateway;
}

async function isReady({ adminUrl }: TestGateway): Promise<boolean> {
  try {
    return (await fetch(`${adminUrl}/readyz`)).ok;
  } catch {
    return false;
  }
}

/** Writes the catalogue to the ledger, as the operator would. */
export async function seedCatalogue(ledger: Ledger): Promise<void> {
  const entry = { id: MODEL, language: 'Kikuyu', languageCode: 'ki', maxAudioSeconds: 300, maxWaitSeconds: 120 };
  await ledger.catalogue.replace([entry]);
}

/** Creates a tenant with credit and a valid API key, as operator and console would. */
export async function seedTenant(
  ledger: Ledger,
  creditMs: number,
  settings: Partial<TenantSettings> & { concurrentSessions?: number } = {},
): Promise<{ tenant: string; key: string; keyId: string }> {
  const tenant = await createTenant(ledger, creditMs, settings);
  const { key, keyId } = generateApiKey(randomBytes);
  const hash = createHmac('sha256', PEPPER).update(key).digest('hex');
  await ledger.apiKeys.put(keyId, { tenant, hash, pepperId: 'p1', expiresAtMs: null });
  return { tenant, key, keyId };
}

/** Sends POST /v1/asr/sessions. */
export async function postSession(
  gateway: TestGateway,
  key: string,
  body: object = { model: MODEL, max_audio_seconds: 5 },
  headers: Record<string, string> = {},
): Promise<{
  status: number;
  headers: Headers;
  body: { id?: string; websocket_protocols?: string[]; error?: { code: string } };
  ms: number;
}> {
  const started = performance.now();
  const response = await fetch(`${gateway.baseUrl}/v1/asr/sessions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const parsed = (await response.json()) as { id?: string; websocket_protocols?: string[]; error?: { code: string } };
  return { status: response.status, headers: response.headers, body: parsed, ms: performance.now() - started };
}

/** Returns a prefix for Redis keys that no other test uses. */
export function ownPrefix(): string {
  return `test-${randomUUID()}`;
}
