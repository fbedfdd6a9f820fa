import { isIPv6 } from 'node:net';

/** Limits failed attempts by address: so many at once, then one more each time its share of the window has passed. */
export interface AttemptLimiter {
  /** How long the address must wait before it may try again; 0: it may. */
  waitMs: (address: string, nowMs: number) => number;
  fail: (address: string, nowMs: number) => void;
}

/** Beyond this many addresses those that may try freely again are forgotten. */
const MAX_ADDRESSES = 100_000;

/** One number per address is kept: when its failures are all forgiven (GCRA). */
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

/** What is over the limit; a hair of tolerance, so that the last attempt of a burst does not fall to rounding. */
function overMs(ms: number): number {
  return ms > 0.001 ? ms : 0;
}

/** An IPv6 host has 2^64 addresses to try from, so its network counts as one. */
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
  // All of them in debt: the oldest go, so that memory stays bounded whatever happens.
  for (const address of forgivenAtMs.keys()) {
    if (forgivenAtMs.size <= MAX_ADDRESSES) return;
    forgivenAtMs.delete(address);
  }
}
