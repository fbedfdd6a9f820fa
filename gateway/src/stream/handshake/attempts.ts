import { ApiError } from '@svc-asr/core';

/**
 * Limits the number of unfinished handshakes that may have consumed a credential. Such a handshake waits for Redis, or
 * its rollback is repeated until Redis answers. At the limit, new handshakes are refused before they reach Redis.
 * Pending handshakes are never dropped, because a dropped rollback would leave an active session without a stream.
 */
export class Attempts {
  readonly #limit: number;
  #pending = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get pending(): number {
    return this.#pending;
  }

  /** Counts an attempt and returns the function that ends it. Throws 503 at the limit. */
  take(): () => void {
    if (this.#pending >= this.#limit) {
      const message = 'Too many handshakes wait for the account data. Retry after the time in Retry-After.';
      throw new ApiError('service_unavailable', { message });
    }
    this.#pending++;
    let ended = false;
    return () => {
      if (!ended) this.#pending--;
      ended = true;
    };
  }
}
