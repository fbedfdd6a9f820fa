/** Counts failed authentications by address, in the memory of one gateway. */
export interface AuthFailures {
  /** Seconds until the address may try again; 0: now. */
  blockedS: (address: string, nowMs: number) => number;
  count: (address: string, nowMs: number) => void;
}

/** Addresses that are kept; past it the longest unseen are forgotten. */
const MAX_ADDRESSES = 100_000;

/** A token bucket for each address: `perSecond` failures, and a burst as large. */
export function createAuthFailures(perSecond: number): AuthFailures {
  const intervalMs = 1000 / perSecond;
  const arrivals = new Map<string, number>();
  return {
    blockedS(address, nowMs) {
      const overMs = (arrivals.get(address) ?? 0) + intervalMs - nowMs - 1000;
      return overMs > 0.001 ? Math.ceil(overMs / 1000) : 0;
    },
    count(address, nowMs) {
      const arrival = Math.max(nowMs, arrivals.get(address) ?? 0) + intervalMs;
      arrivals.delete(address);
      arrivals.set(address, arrival);
      if (arrivals.size <= MAX_ADDRESSES) return;
      const oldest = arrivals.keys().next();
      if (oldest.done !== true) arrivals.delete(oldest.value);
    },
  };
}
