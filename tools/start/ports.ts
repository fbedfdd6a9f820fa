import { createServer } from 'node:net';

/** Thrown when a port is in use. The message names the setting that changes it. */
export class PortInUse extends Error {
  override readonly name = 'PortInUse';
  constructor(port: number, setting: string) {
    super(`port ${port} is in use; stop what uses it or choose another: ${setting}=${port + 1000} npm start`);
  }
}

/** Returns whether a port is free. Rejects on errors other than "address in use". */
export async function isFree(host: string, port: number): Promise<boolean> {
  return (await listenOnce(host, port)) !== undefined;
}

/** Returns a free port: the preferred one if it is free, otherwise any. */
export async function freePort(host: string, wish?: number): Promise<number> {
  if (wish !== undefined && (await isFree(host, wish))) return wish;
  const port = await listenOnce(host, 0);
  if (port === undefined) throw new Error(`no free port on ${host}`);
  return port;
}

/** Returns the first free port starting at `from` that is not in `taken`. */
export async function nextFreePort(host: string, from: number, taken: readonly number[]): Promise<number> {
  for (let port = from; port < from + 100; port++) {
    if (!taken.includes(port) && (await isFree(host, port))) return port;
  }
  return freePort(host);
}

/**
 * Returns the port that a setting requests. 0 selects any free port. Rejects with the name of the setting if the port
 * is in use.
 */
export async function requirePort(host: string, port: number, setting: string): Promise<number> {
  if (port === 0) return freePort(host);
  if (!(await isFree(host, port))) throw new PortInUse(port, setting);
  return port;
}

/** Reads a port from the environment. */
export function portFrom(env: NodeJS.ProcessEnv, setting: string): number | undefined {
  const text = env[setting];
  if (text === undefined || text === '') return undefined;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new Error(`${setting}=${text} is not a port (0 to 65535)`);
  return port;
}

async function listenOnce(host: string, port: number): Promise<number | undefined> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else if (error.code === 'EACCES')
        reject(new Error(`port ${port} may not be used by this user; choose one above 1023`));
      else reject(error);
    });
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      const got = typeof address === 'object' && address !== null ? address.port : undefined;
      server.close(() => resolve(got));
    });
  });
}
