import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Systems hand out ports above these to whoever asks for any. A server that is away for a while, and comes back on
 * its port, would find one of those taken.
 */
const FIRST = 20_000;
const LAST = 32_000;

/** A free port of the loopback address that nobody is given by chance. */
export async function steadyPort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = randomInt(FIRST, LAST);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port between ${FIRST} and ${LAST}: see what listens there and end it`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
