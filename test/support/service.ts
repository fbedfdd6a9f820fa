import { strict as assert } from 'node:assert';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import type { RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenApi } from '@svc-asr/api-docs';
import { createAdmin } from './admin.ts';
import type { Admin } from './admin.ts';
import { send } from './answer.ts';
import type { Answer, Outgoing } from './answer.ts';
import { createCheck } from './described.ts';
import { launch } from './launch.ts';
import type { Local } from './launch.ts';
import { freePort } from './ports.ts';
import type { Ports } from '../../tools/start/ports.ts';

/** Timeout of a `beforeAll` that starts a service. */
export const START_TIMEOUT_MS = 120_000;

export interface ServiceOptions {
  /** Settings in the environment of `npm start`. */
  env?: Readonly<Record<string, string>>;
  /** Files to write to `$SVC_ASR_HOME/config`, by name. */
  config?: Readonly<Record<string, string>>;
  /** Folder with the state of an earlier run. By default the service starts without earlier state. */
  home?: string;
}

export interface ServiceRequest extends Outgoing {
  /** API key, which is sent as `Authorization: Bearer`. */
  key?: string;
  options?: Omit<RequestOptions, 'headers'>;
}

/** A service started by `npm start` and used through its public interfaces. */
export interface Service {
  readonly baseUrl: string;
  /** PEM of the CA that signed the certificate of the service. */
  readonly ca: string;
  /** The API key that `npm start` prints. */
  readonly apiKey: string;
  readonly adminUrl: string;
  readonly adminToken: string;
  readonly home: string;
  readonly redisUrl: string;
  readonly local: Local;
  readonly admin: Admin;
  readonly document: OpenApi.OpenApiDocument;
  tenant: Admin['tenant'];
  /** Sends a request. Throws if the response does not conform to the service's OpenAPI document. */
  request: (method: string, path: string, request?: ServiceRequest) => Promise<Answer>;
  /** Sends POST /v1/asr/sessions with a JSON body. */
  create: (key: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
  usage: (key: string) => Promise<Answer>;
  writeConfig: (file: string, text: string) => void;
  removeConfig: (file: string) => void;
  /** Output of `npm start`. */
  output: () => string;
  /** Logs of the services. */
  logs: () => string;
  /**
   * Ends the service. Throws if it does not exit with 0 or if its logs contain a failure. `keepHome` keeps the home
   * folder for another start.
   */
  stop: (options?: { keepHome?: boolean }) => Promise<void>;
}

/**
 * Settings of the services of all tests. With short intervals, a new tenant is applied within a fraction of a second. A
 * short warm-up saves most of the start time of workers. Workers offer all slots even on a busy machine. Long deadlines
 * let a busy machine answer many parallel requests without a 503.
 */
const TEST_SETTINGS = {
  CONFIG_POLL_MS: '20',
  CONFIG_SETTLE_MS: '20',
  MAX_BATCH: '4',
  MEASURE_SECONDS: '0',
  LEAST_SLOTS_PERCENT: '100',
  REQUEST_DEADLINE_MS: '10000',
  // Tests send many requests that are refused, and should not wait for the delay of refusals.
  REFUSAL_DELAY_MS: '0',
  REDIS_TIMEOUT_MS: '5000',
  PROVISIONAL_LEASE_MS: '30000',
};
const MODEL = 'svc-asr-kikuyu-v1';
const LOCAL_CONFIG = join(import.meta.dirname, '../../config/local');
/** Ports that `npm start` reads from ports.json in its home, and uses if they are free. */
const KEPT_PORTS = [
  'redis',
  'gatewayAdmin',
  'gatewayInternal',
  'consoleAdmin',
  'adminApi',
  'operatorAdmin',
] as const satisfies readonly (keyof Ports)[];
/** Slots of a worker. */
const SLOTS = 256;
const running = new Set<Service>();

/** Starts the service with its own state. `stopServices` in `afterAll` ends it. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'svc-asr-conformance-'));
  const configFile = (file: string) => join(home, 'config', file);
  mkdirSync(join(home, 'config'), { recursive: true });
  for (const [file, text] of Object.entries(options.config ?? {})) writeFileSync(configFile(file), text);

  const settings = { ...TEST_SETTINGS, ...(await assignPorts(home)), SVC_ASR_LOCAL_CONFIG: writeLocalConfig(home) };
  const launched = launch(home, { ...settings, ...options.env });
  const local = await launched.ready().catch(async (error: unknown) => {
    await launched.stop();
    if (options.home === undefined) rmSync(home, { recursive: true, force: true });
    throw error;
  });
  const ca = readFileSync(local.ca_file, 'utf8');
  const agent = new Agent({ ca, keepAlive: true });
  const document = (await send(`${local.base_url}/openapi.json`, { agent })).body as OpenApi.OpenApiDocument;
  const check = createCheck(document);

  async function request(method: string, path: string, given: ServiceRequest = {}): Promise<Answer> {
    const { key, options: requestOptions, headers, ...outgoing } = given;
    const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const answer = await send(local.base_url + path, {
      method,
      agent,
      ca,
      servername: 'localhost',
      ...requestOptions,
      ...outgoing,
      headers: { ...authorization, ...headers },
    });
    check(method, path, answer);
    return answer;
  }

  const logs = () =>
    readdirSync(join(home, 'logs'))
      .map((file) => readFileSync(join(home, 'logs', file), 'utf8'))
      .join('\n');
  const admin = createAdmin(local.admin_url, local.admin_token);

  const service: Service = {
    baseUrl: local.base_url,
    ca,
    apiKey: local.api_key,
    adminUrl: local.admin_url,
    adminToken: local.admin_token,
    home,
    redisUrl: local.redis_url,
    local,
    admin,
    document,
    tenant: admin.tenant,
    request,
    logs,
    create: (key, body = { model: MODEL }, headers = {}) =>
      request('POST', '/v1/asr/sessions', { key, body, headers: { 'content-type': 'application/json', ...headers } }),
    usage: (key) => request('GET', '/v1/usage', { key }),
    writeConfig: (file, text) => writeFileSync(configFile(file), text),
    removeConfig: (file) => rmSync(configFile(file)),
    output: launched.output,
    stop: async ({ keepHome = false } = {}) => {
      running.delete(service);
      agent.destroy();
      const status = await launched.stop();
      const output = `${launched.output()}\n${logs()}`;
      if (!keepHome) rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
      assert.equal(status, 0, `the service ended with ${status}:\n${launched.output()}`);
      const fault = output
        .split('\n')
        .find((line) => /unexpected error|uncaught exception|restarting it in/.test(line));
      assert.equal(fault, undefined, `something failed in the service: ${fault}`);
    },
  };
  running.add(service);
  return service;
}

/**
 * Writes the ports of a new service to its home, and returns those that `npm start` reads from its environment. If `npm
 * start` chose these ports itself, it could choose those of a test that runs at the same time.
 */
async function assignPorts(home: string): Promise<{ PORT: string; CONSOLE_PORT: string }> {
  const file = join(home, 'ports.json');
  if (!existsSync(file)) {
    const ports: Record<string, number> = {};
    for (const name of KEPT_PORTS) ports[name] = await freePort();
    writeFileSync(file, JSON.stringify(ports));
  }
  return { PORT: String(await freePort()), CONSOLE_PORT: String(await freePort()) };
}

/**
 * Writes a copy of config/local and returns its folder. Its workers have room for all sessions of a test file. With
 * fewer slots, a pool could reach its maximum size on a slow machine, and sessions would be refused.
 */
function writeLocalConfig(home: string): string {
  const folder = join(home, 'local');
  cpSync(LOCAL_CONFIG, folder, { recursive: true });
  const models = join(folder, 'models.yaml');
  writeFileSync(models, readFileSync(models, 'utf8').replaceAll(/slots: \d+/g, `slots: ${SLOTS}`));
  return folder;
}

/** Ends every service that a test file started and has not ended. Call it in `afterAll`. */
export async function stopServices(): Promise<void> {
  for (const service of running) await service.stop();
}
