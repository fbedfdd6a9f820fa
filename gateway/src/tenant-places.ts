import { ApiError } from '@svc-asr/core';
import { KeyCounts } from './key-counts.ts';

const RETRY_S = 1;

/**
 * Counts how many places of a resource each tenant takes. All tenants of a gateway share the resource. A tenant may
 * take at most half of all places, rounded up, so that one tenant alone does not lock out the others.
 */
export class TenantPlaces {
  readonly #max: number;
  readonly #message: string;
  readonly #taken = new KeyCounts();

  /** `message` is sent to a tenant that has taken half of the places. */
  constructor(places: number, message: string) {
    this.#max = Math.max(1, Math.ceil(places / 2));
    this.#message = message;
  }

  /** Takes a place and returns the function that releases it. Throws 429 if the tenant has taken half of the places. */
  take(tenant: string): () => void {
    if (this.#taken.of(tenant) >= this.#max) {
      throw new ApiError('concurrency_limit_exceeded', { message: this.#message, retryAfterS: RETRY_S });
    }
    return this.#taken.add(tenant);
  }
}
