import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * The system assigns ephemeral ports above this range. A server that restarts on an ephemeral port could find it in
 * use.
 */
const FIRST = 20_000;
const LAST = 32_000;

/** Returns a free loopback port outside the ephemeral range. */
export async function steadyPort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = randomInt(FIRST, LAST);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port between ${FIRST} and ${LAST}: end programs that listen there`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
