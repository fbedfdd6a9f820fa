import { ApiError } from '@svc-asr/core';
import { createAttemptLimiter } from '@svc-asr/runtime';

/**
 * Maximum number of refusals that are delayed at the same time. Each delayed refusal keeps a connection open. Further
 * refusals are sent without a delay.
 */
export const MAX_WAITING = 1000;
/** Maximum share of the connections of a gateway that may wait for a delayed refusal. */
const WAITING_SHARE = 0.25;
/** Number of failures per second of one address that the gateway answers without a delay. */
export const PROMPT_FAILURES_PER_SECOND = 10;

/** A response that a client waits for. */
export interface WaitingResponse {
  once: (event: 'close', listener: () => void) => unknown;
}

/**
 * Delays refusals of tenants that ignore `Retry-After`, and of addresses that fail often. A client that repeats refused
 * requests at once can then send only one request per delay on each of its connections. Without the delay, the client
 * would send as many requests as the gateway can refuse. This would slow down the other clients of the gateway.
 */
export class RefusalDelay {
  readonly #failures = createAttemptLimiter(PROMPT_FAILURES_PER_SECOND, 1000);
  readonly #ends = new Set<() => void>();
  readonly #maxWaiting: number;
  #delayMs: number;

  constructor(delayMs: number, maxWaiting = MAX_WAITING) {
    this.#delayMs = delayMs;
    this.#maxWaiting = maxWaiting;
  }

  /** Number of refusals that are delayed now. */
  get waiting(): number {
    return this.#ends.size;
  }

  /** Waits before a refusal is sent. Ends early if the client of `response` disconnects. */
  async wait(response?: WaitingResponse): Promise<void> {
    if (this.#delayMs === 0 || this.#ends.size >= this.#maxWaiting) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#ends.delete(end);
        resolve();
      };
      const timer = setTimeout(end, randomDelay(this.#delayMs));
      this.#ends.add(end);
      response?.once('close', end);
    });
  }

  /** Waits if the address has failed often in the last second. Otherwise counts the failure. */
  async waitAfterFailure(address: string, nowMs = performance.now()): Promise<void> {
    if (this.#failures.waitMs(address, nowMs) > 0) await this.wait();
    else this.#failures.fail(address, nowMs);
  }

  /** Waits, and then throws 429. Its Retry-After is `retryAfterMs` minus the time of the wait. */
  async refuse(retryAfterMs: number, message: string): Promise<never> {
    const sinceMs = performance.now();
    await this.wait();
    const remainingMs = Math.max(1, retryAfterMs - (performance.now() - sinceMs));
    throw new ApiError('rate_limit_exceeded', { retryAfterS: remainingMs / 1000, message });
  }

  /** Ends all waits and delays no further refusals. Call it before the connections of the gateway are closed. */
  stop(): void {
    this.#delayMs = 0;
    for (const end of this.#ends) end();
  }
}

/** Returns how many refusals may wait in a gateway that accepts the given number of connections. */
export function maxWaitingOf(maxConnections: number): number {
  return Math.min(MAX_WAITING, Math.floor(maxConnections * WAITING_SHARE));
}

/**
 * Returns a random delay from 0.5 to 1.5 times the mean. With equal delays, clients that were refused together would
 * send their next requests together.
 */
export function randomDelay(meanMs: number, random = Math.random()): number {
  return meanMs * (0.5 + random);
}
