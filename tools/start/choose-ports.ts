import { isIP } from 'node:net';
import { join } from 'node:path';
import { readIfPresent, writeAtomically } from './files.ts';
import type { Home } from './home.ts';
import { freePort, nextFreePort, portFrom, requirePort } from './ports.ts';

const LOOPBACK = '127.0.0.1';
const GATEWAY_PORT = 8443;
const CONSOLE_PORT = 8444;

/** Host and ports of all programs. */
export interface Ports {
  /** Address of the gateway's public port. */
  host: string;
  gateway: number;
  console: number;
  redis: number;
  gatewayAdmin: number;
  consoleAdmin: number;
  operatorAdmin: number;
}

/** Chooses all ports. Ports that the environment does not set stay the same from run to run if they are still free. */
export async function choosePorts(home: Home, env: NodeJS.ProcessEnv): Promise<Ports> {
  const file = join(home.path, 'ports.json');
  const last = readLast(file);
  // Some shells set HOST to the name of the machine. Only an IP address is used.
  const host = env.HOST !== undefined && isIP(env.HOST) !== 0 ? env.HOST : LOOPBACK;
  const gateway = await requirePort(host, portFrom(env, 'PORT') ?? GATEWAY_PORT, 'PORT');
  const taken = [gateway];
  const free = async (wish: number | undefined) => {
    const port = await freePort(LOOPBACK, wish !== undefined && taken.includes(wish) ? undefined : wish);
    taken.push(port);
    return port;
  };
  const console = await chooseConsolePort(env, taken);
  taken.push(console);
  const ports: Ports = {
    host,
    gateway,
    console,
    redis: await free(last.redis),
    gatewayAdmin: await free(last.gatewayAdmin),
    consoleAdmin: await free(last.consoleAdmin),
    operatorAdmin: await free(last.operatorAdmin),
  };
  writeAtomically(file, `${JSON.stringify(ports, null, 2)}\n`);
  return ports;
}

async function chooseConsolePort(env: NodeJS.ProcessEnv, taken: readonly number[]): Promise<number> {
  const wished = portFrom(env, 'CONSOLE_PORT');
  if (wished !== undefined) return requirePort(LOOPBACK, wished, 'CONSOLE_PORT');
  // PORT=0 indicates that several installations run side by side. With nextFreePort they would compete for the same
  // port.
  return portFrom(env, 'PORT') === 0 ? freePort(LOOPBACK) : nextFreePort(LOOPBACK, CONSOLE_PORT, taken);
}

function readLast(file: string): Partial<Ports> {
  try {
    return JSON.parse(readIfPresent(file) ?? '{}') as Partial<Ports>;
  } catch {
    return {};
  }
}
