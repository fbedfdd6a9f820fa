import { randomInt } from 'node:crypto';
import { freePort as freePortOf, isFree } from '../../tools/start/ports.ts';

const LOOPBACK = '127.0.0.1';
const FIRST_PORT = 10_000;
const PORTS_PER_WORKER = 2200;
/** Number of jest workers that have ports of their own. Jest numbers its workers from 1. */
const WORKERS = 10;

/** Index of the next port to try, among the ports of this jest worker. */
let next = randomInt(PORTS_PER_WORKER);

/**
 * Returns a free port of the loopback address. Until a program listens on the port, another test could get the same
 * port. Each jest worker therefore has ports of its own, and uses them in turn.
 */
export async function freePort(): Promise<number> {
  const { JEST_WORKER_ID } = process.env;
  if (JEST_WORKER_ID === undefined) return freePortOf(LOOPBACK);
  const first = FIRST_PORT + (Number(JEST_WORKER_ID) % WORKERS) * PORTS_PER_WORKER;
  for (let tries = 0; tries < PORTS_PER_WORKER; tries++) {
    const port = first + (next++ % PORTS_PER_WORKER);
    if (await isFree(LOOPBACK, port)) return port;
  }
  throw new Error(`no port of jest worker ${JEST_WORKER_ID} is free`);
}
