import { isIPv6 } from 'node:net';

/**
 * Limits failed attempts by address. `limit` failures are allowed without a pause, and then one more after each
 * `windowMs / limit` milliseconds.
 */
export interface AttemptLimiter {
  /** Returns the time in milliseconds until the address may try again. 0 if it may try now. */
  waitMs: (address: string, nowMs: number) => number;
  fail: (address: string, nowMs: number) => void;
}

/** Number of addresses above which addresses without recent failures are removed. */
const MAX_ADDRESSES = 100_000;

/**
 * Creates a limiter that stores one number per network (see `networkOf`): the time at which all failures of the network
 * have expired (GCRA).
 */
export function createAttemptLimiter(limit: number, windowMs: number): AttemptLimiter {
  const costMs = windowMs / limit;
  const forgivenAtMs = new Map<string, number>();
  const debtMs = (address: string, nowMs: number) => Math.max(0, (forgivenAtMs.get(networkOf(address)) ?? 0) - nowMs);
  return {
    waitMs: (address, nowMs) => overMs(debtMs(address, nowMs) + costMs - windowMs),
    fail: (address, nowMs) => {
      forgivenAtMs.set(networkOf(address), nowMs + debtMs(address, nowMs) + costMs);
      if (forgivenAtMs.size > MAX_ADDRESSES) forget(forgivenAtMs, nowMs);
    },
  };
}

/**
 * Returns an excess over the limit in milliseconds. Returns 0 if there is none, or if it is so small that it may be a
 * rounding error. Such an error must not refuse the last attempt of a burst.
 */
function overMs(ms: number): number {
  return ms > 0.001 ? ms : 0;
}

/**
 * Returns the network whose failures are counted together. For IPv6 it is the first 64 bits, because one host can use
 * all 2^64 addresses of such a network.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? 0 : tail.split(':').length;
    while (groups.length < 8 - after) groups.push('0');
  }
  return groups.slice(0, 4).join(':');
}

function forget(forgivenAtMs: Map<string, number>, nowMs: number): void {
  for (const [address, atMs] of forgivenAtMs) if (atMs <= nowMs) forgivenAtMs.delete(address);
  // If too many addresses have recent failures, those that were added first are removed to limit the memory.
  for (const address of forgivenAtMs.keys()) {
    if (forgivenAtMs.size <= MAX_ADDRESSES) return;
    forgivenAtMs.delete(address);
  }
}
