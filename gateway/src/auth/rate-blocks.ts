import type { Admission } from '@svc-asr/ledger';
import { evictOldest } from './evict-oldest.ts';

/**
 * Number of refusals by Redis after which the gateway itself refuses a tenant, without a request to Redis. A client
 * that respects Retry-After does not reach this number.
 */
const EXACT_REFUSALS = 10;
/** Time without a refusal after which earlier refusals no longer count. */
const FORGET_MS = 10_000;
/**
 * Longest time for which the gateway itself refuses a tenant, without a request to Redis. After this time, Redis
 * decides again, because the state or the limits of the account may have changed.
 */
const MAX_BLOCK_MS = 1000;
const MAX_TENANTS = 10_000;

interface Block {
  /** Last refusal by Redis. */
  readonly admission: Admission;
  /** Time at which the admission was requested. `retryAfterMs` and `resetS` in it count from this time. */
  readonly sinceMs: number;
  /** Number of refusals by Redis. Each came less than FORGET_MS after the one before it. */
  readonly refusals: number;
}

/**
 * Tenants that keep sending requests after their request rate is used up. Redis has reported when the next request is
 * allowed, and a refused request does not change that time. Until that time, the gateway itself refuses the tenant,
 * because requests to Redis would slow down all other tenants.
 */
export class RateBlocks {
  readonly #blocks = new Map<string, Block>();

  /** True if no tenant was refused by Redis. */
  get isEmpty(): boolean {
    return this.#blocks.size === 0;
  }

  /** Returns the refusal of a tenant. Undefined if Redis must decide. */
  find(tenant: string, nowMs: number): Admission | undefined {
    const block = this.#blocks.get(tenant);
    if (block === undefined || block.refusals < EXACT_REFUSALS) return undefined;
    const elapsedMs = nowMs - block.sinceMs;
    // Redis rounds retryAfterMs up to a whole millisecond, so the next request may be allowed one millisecond earlier.
    if (elapsedMs >= Math.min(block.admission.retryAfterMs - 1, MAX_BLOCK_MS)) return undefined;
    return refusalAfter(block.admission, elapsedMs);
  }

  /**
   * Stores a refusal by Redis. `sinceMs` must be a time before the request to Redis, so that no block lasts too long.
   */
  add(tenant: string, admission: Admission, sinceMs: number): void {
    if (admission.state !== 'Active' || admission.allowed) return;
    const earlier = this.#blocks.get(tenant);
    const isRepeated = earlier !== undefined && sinceMs - earlier.sinceMs < FORGET_MS;
    this.#blocks.delete(tenant);
    this.#blocks.set(tenant, { admission, sinceMs, refusals: isRepeated ? earlier.refusals + 1 : 1 });
    evictOldest(this.#blocks, MAX_TENANTS);
  }
}

/** Returns a refusal with the times that remain after `elapsedMs`. */
export function refusalAfter({ state, rate, retryAfterMs }: Admission, elapsedMs: number): Admission {
  const resetS = Math.max(0, Math.ceil(rate.resetS - elapsedMs / 1000));
  return {
    state,
    allowed: false,
    rate: { limit: rate.limit, remaining: 0, resetS },
    retryAfterMs: Math.max(1, retryAfterMs - elapsedMs),
  };
}
