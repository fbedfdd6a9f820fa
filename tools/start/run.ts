import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REDIS } from '../install/programs.ts';
import { ensureInstalled } from '../install/system-package.ts';
import { tryLock } from '../launch/lock.mjs';
import { messageOf } from '../launch/terminal.mjs';
import { startObserver } from '../observe/server.ts';
import type { Observer } from '../observe/server.ts';
import type { Fleet, Show } from '../supervise/fleet.ts';
import { createFleet } from '../supervise/fleet.ts';
import { writeAtomically } from './files.ts';
import { homeOf, createHome } from './home.ts';
import type { Home } from './home.ts';
import { checkKey, createConsolePath, createKey, keyExists } from './key.ts';
import type { LocalJson } from './local-json.ts';
import { markStopped, readLocalJson, writeLocalJson } from './local-json.ts';
import { choosePorts, portFrom } from './ports.ts';
import type { Ports } from './ports.ts';
import { checkReady, waitUntil } from './ready.ts';
import { checkRedis, redisProgram, redisUrl } from './redis.ts';
import { describeLostPeppers, ensureSecrets } from './secrets.ts';
import { SERVICES, serviceProgram } from './services.ts';
import type { Plan } from './services.ts';
import { ensureTls } from './tls.ts';

/** Longest times to wait until a program is ready or a key is accepted. Redis can take minutes to load its data. */
const READY_WITHIN_MS = { redis: 300_000, service: 60_000, key: 15_000 };

export interface StartOptions {
  env: NodeJS.ProcessEnv;
  node: string;
  show: Show;
  /** Aborts the start. */
  signal: AbortSignal;
  /** Whether to start a page that shows live telemetry of the services. */
  observe?: boolean;
}

/** A running local installation. */
export interface Installation {
  home: Home;
  local: LocalJson;
  /** Address of the console. It signs in the first browser that opens it. */
  consoleLink: string;
  adminTokenFile: string;
  /** Address of the page with live telemetry. */
  observeUrl: string | undefined;
}

/** Stops all programs that were started, even after an incomplete start. */
export interface Teardown {
  stop: () => Promise<void>;
  kill: () => void;
}

/**
 * Starts all services on this machine. Calls `own` before the first program starts, so that the caller can stop an
 * incomplete start.
 */
export async function startAll(given: StartOptions, own: (teardown: Teardown) => void): Promise<Installation> {
  const { node, show } = given;
  const logProgress = (line: string) => show('info', line);
  const observer = given.observe === true ? await observe(given.env) : undefined;
  const home = homeOf(given.env);
  createHome(home);
  const unlock = tryLock(join(home.path, 'lock'));
  if (typeof unlock === 'number') {
    throw new Error(
      `npm start already runs for ${home.path} (process ${unlock}). Stop it first, or set SVC_ASR_HOME to another ` +
        'folder and PORT to another port',
    );
  }
  const fleet = createFleet({ logFolder: home.logs, node, show });
  own({
    stop: async () => {
      await fleet.stop();
      await observer?.stop();
      markStopped(home.localJson);
      unlock();
    },
    kill: () => {
      fleet.kill();
      markStopped(home.localJson);
      unlock();
    },
  });

  const options = { ...given, env: { ...given.env, ...observer?.env } };
  const { env } = options;
  const ports = await choosePorts(home, env);
  // If the environment provides the peppers, the services do not read the local file with peppers.
  const lost = env.API_KEY_PEPPERS || env.API_KEY_PEPPERS_FILE ? undefined : describeLostPeppers(home);
  if (lost !== undefined) show('warn', lost);
  const secrets = ensureSecrets(home.secrets);
  const tls = await ensureTls(home, new Date(), logProgress);
  const url = await provideRedis(options, fleet, home, ports, readFileSync(secrets.redisPassword, 'utf8').trim());
  const redisUrlFile = join(home.secrets, 'redis-url');
  writeAtomically(redisUrlFile, `${url}\n`, 0o600);
  const plan: Plan = { home, ports, secrets, tls, redisUrlFile, node };
  await startServices(options, fleet, plan);

  const adminToken = readFileSync(secrets.adminToken, 'utf8').trim();
  const local: Omit<LocalJson, 'api_key'> = {
    base_url: `https://localhost:${ports.gateway}`,
    console_url: `https://localhost:${ports.console}`,
    admin_url: loopback(ports.adminApi),
    console_admin_url: loopback(ports.consoleAdmin),
    gateway_admin_url: loopback(ports.gatewayAdmin),
    operator_admin_url: loopback(ports.operatorAdmin),
    ca_file: tls.caFile,
    admin_token: adminToken,
    redis_url: url,
    pid: process.pid,
  };
  const apiKey = await provideKey(options, readLocalJson(home.localJson)?.api_key, local);
  writeLocalJson(home.localJson, { ...local, api_key: apiKey });
  const consolePath = await createConsolePath({ url: local.admin_url, token: adminToken });
  return {
    home,
    local: { ...local, api_key: apiKey },
    consoleLink: `${local.console_url}${consolePath}`,
    adminTokenFile: secrets.adminToken,
    observeUrl: observer?.url,
  };
}

/**
 * Starts the page with live telemetry. If the environment names a collector, the page's server also forwards the
 * telemetry there.
 */
function observe(env: NodeJS.ProcessEnv): Promise<Observer> {
  const port = portFrom(env, 'OBSERVE_PORT');
  const forwardTo = env.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, '');
  return startObserver({ ...(port === undefined ? {} : { port }), ...(forwardTo ? { forwardTo } : {}) });
}

/** Starts Redis, unless REDIS_URL is set. */
async function provideRedis(
  { env, show, signal }: StartOptions,
  fleet: Fleet,
  home: Home,
  ports: Ports,
  password: string,
): Promise<string> {
  if (env.REDIS_URL !== undefined && env.REDIS_URL !== '') {
    show('info', 'Redis: using REDIS_URL');
    return env.REDIS_URL;
  }
  const server = await ensureInstalled(REDIS);
  const spec = redisProgram({ serverPath: server.path, folder: home.redis, port: ports.redis, password });
  await fleet.run(spec, () =>
    waitUntil('Redis', () => checkRedis(ports.redis, password), READY_WITHIN_MS.redis, signal),
  );
  show('info', `Redis: ${server.path} ${server.version} on 127.0.0.1:${ports.redis}`);
  return redisUrl(ports.redis, password);
}

async function startServices({ env, show, signal }: StartOptions, fleet: Fleet, plan: Plan): Promise<void> {
  const { ports } = plan;
  const adminPorts = { operator: ports.operatorAdmin, console: ports.consoleAdmin, gateway: ports.gatewayAdmin };
  for (const service of SERVICES) {
    const admin = loopback(adminPorts[service]);
    await fleet.run(serviceProgram(service, plan, env), () =>
      waitUntil(`the ${service}`, () => checkReady(admin), READY_WITHIN_MS.service, signal),
    );
    show('info', `${service}: ready, admin port ${admin}`);
  }
}

/**
 * Returns a key of the tenant `local` that the gateway accepts. This is the key of the last run if it still works, and
 * otherwise a new key.
 */
async function provideKey(
  { show, signal }: StartOptions,
  lastKey: string | undefined,
  local: Omit<LocalJson, 'api_key'>,
): Promise<string> {
  const ca = readFileSync(local.ca_file, 'utf8');
  const admin = { url: local.admin_url, token: local.admin_token };
  const accepted = (key: string) =>
    waitUntil('the API key', () => checkKey(local.base_url, key, ca), READY_WITHIN_MS.key, signal);
  if (lastKey !== undefined && (await keyExists(admin, lastKey))) {
    try {
      await accepted(lastKey);
      return lastKey;
    } catch (error) {
      signal.throwIfAborted();
      show('warn', `${messageOf(error)}; creating a new key`);
    }
  }
  const key = await createKey(admin);
  await accepted(key);
  return key;
}

function loopback(port: number): string {
  return `http://127.0.0.1:${port}`;
}
