import { randomInt } from 'node:crypto';
import { createServer, isIP } from 'node:net';
import { join } from 'node:path';
import { readJson, writeAtomically } from './files.ts';
import type { Home } from './home.ts';

const LOOPBACK = '127.0.0.1';
const GATEWAY_PORT = 8443;
const CONSOLE_PORT = 8444;
const FIRST_PORT = 10_000;
const LAST_PORT = 32_000;

/** Host and ports of all programs. */
export interface Ports {
  /** Address of the gateway's public port. */
  host: string;
  gateway: number;
  console: number;
  redis: number;
  gatewayAdmin: number;
  gatewayInternal: number;
  consoleAdmin: number;
  adminApi: number;
  operatorAdmin: number;
}

/**
 * Chooses all ports. The ports of Redis and of internal servers stay the same from run to run if they are still free.
 */
export async function choosePorts(home: Home, env: NodeJS.ProcessEnv): Promise<Ports> {
  const file = join(home.path, 'ports.json');
  const last = readJson<Ports>(file) ?? {};
  // Some shells set HOST to the name of the machine. Only an IP address is used.
  const host = env.HOST !== undefined && isIP(env.HOST) !== 0 ? env.HOST : LOOPBACK;
  const gateway = await requirePort(host, portFrom(env, 'PORT') ?? GATEWAY_PORT, 'PORT');
  const taken = [gateway];
  const free = async (preferred: number | undefined) => {
    const port = await freePort(LOOPBACK, preferred !== undefined && taken.includes(preferred) ? undefined : preferred);
    taken.push(port);
    return port;
  };
  const console = await chooseConsolePort(env, gateway);
  taken.push(console);
  const ports: Ports = {
    host,
    gateway,
    console,
    redis: await free(last.redis),
    gatewayAdmin: await free(last.gatewayAdmin),
    gatewayInternal: await free(last.gatewayInternal),
    consoleAdmin: await free(last.consoleAdmin),
    adminApi: await free(last.adminApi),
    operatorAdmin: await free(last.operatorAdmin),
  };
  writeAtomically(file, `${JSON.stringify(ports, null, 2)}\n`);
  return ports;
}

async function chooseConsolePort(env: NodeJS.ProcessEnv, gateway: number): Promise<number> {
  const requested = portFrom(env, 'CONSOLE_PORT');
  if (requested !== undefined) return requirePort(LOOPBACK, requested, 'CONSOLE_PORT');
  // PORT=0 is for several installations on one machine. They would compete for the default port, so each uses any free
  // port.
  if (portFrom(env, 'PORT') === 0) return freePort(LOOPBACK);
  for (let port = CONSOLE_PORT; port < CONSOLE_PORT + 100; port++) {
    if (port !== gateway && (await isFree(LOOPBACK, port))) return port;
  }
  return freePort(LOOPBACK);
}

/**
 * Ports that this process has chosen. Until the program of such a port listens on it, `isFree` reports the port as
 * free.
 */
const chosen = new Set<number>();
/** Maximum size of `chosen`, which is emptied when it is full. Far fewer programs start at the same time. */
const MAX_CHOSEN = 1000;

/**
 * Returns a free port: the preferred one if it is free, otherwise a random one that was not chosen recently. The random
 * port is outside the ephemeral range, because the system may assign an ephemeral port to a client before the server
 * uses it.
 */
export async function freePort(host: string, preferred?: number): Promise<number> {
  if (preferred !== undefined && (await isFree(host, preferred))) return preferred;
  for (let tries = 0; tries < 100; tries++) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (chosen.has(port)) continue;
    if (chosen.size >= MAX_CHOSEN) chosen.clear();
    chosen.add(port);
    if (await isFree(host, port)) return port;
  }
  throw new Error(`no free port between ${FIRST_PORT} and ${LAST_PORT} on ${host}: end programs that listen there`);
}

/** Returns the port that a setting requests, or any free port for 0. Rejects if the port is in use. */
async function requirePort(host: string, port: number, setting: string): Promise<number> {
  if (port === 0) return freePort(host);
  if (await isFree(host, port)) return port;
  throw new Error(
    `port ${port} is in use. Stop the program that uses it, or choose another port: ${setting}=${port + 1000} npm start`,
  );
}

/** Reads a port from the environment. */
export function portFrom(env: NodeJS.ProcessEnv, setting: string): number | undefined {
  const text = env[setting];
  if (text === undefined || text === '') return undefined;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new Error(`${setting}=${text} is not a port. Use 0 to 65535`);
  return port;
}

/** Returns whether a port is free. Rejects on errors other than "address in use". */
export async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else if (error.code === 'EACCES') reject(new Error(`only root may use port ${port}. Choose a port above 1023`));
      else reject(error);
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
