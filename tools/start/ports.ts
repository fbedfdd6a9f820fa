import { createServer } from 'node:net';

/** Says which port is taken and what to set. */
export class PortInUse extends Error {
  override readonly name = 'PortInUse';
  constructor(port: number, setting: string) {
    super(`port ${port} is in use; stop what uses it or choose another: ${setting}=${port + 1000} npm start`);
  }
}

/** Whether a port can be listened on; another answer than "in use" is thrown. */
export async function isFree(host: string, port: number): Promise<boolean> {
  return (await listenOnce(host, port)) !== undefined;
}

/** A port that nobody uses: the wished one if it is free, else any. */
export async function freePort(host: string, wish?: number): Promise<number> {
  if (wish !== undefined && (await isFree(host, wish))) return wish;
  const port = await listenOnce(host, 0);
  if (port === undefined) throw new Error(`no free port on ${host}`);
  return port;
}

/** The first free port from `from` on that is not among `taken`. */
export async function nextFreePort(host: string, from: number, taken: readonly number[]): Promise<number> {
  for (let port = from; port < from + 100; port++) {
    if (!taken.includes(port) && (await isFree(host, port))) return port;
  }
  return freePort(host);
}

/** A port that a person asked for: 0 takes any, one in use is an error that names the setting. */
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
