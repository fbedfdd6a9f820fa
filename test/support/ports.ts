import { freePort as freePortOf } from '../../tools/start/ports.ts';

/** Returns a free port of the loopback address. */
export async function freePort(): Promise<number> {
  return freePortOf('127.0.0.1');
}
