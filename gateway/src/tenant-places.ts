import { ApiError } from '@svc-asr/core';

const RETRY_S = 1;

/**
 * Counts the places that each tenant takes of a resource that all tenants of a gateway share. A tenant may take at most
 * half of them, so that the others always get some.
 */
export class TenantPlaces {
  readonly #max: number;
  readonly #message: string;
  readonly #counts = new Map<string, number>();

  /** `message` is sent to a tenant that has taken half of the places. */
  constructor(places: number, message: string) {
    this.#max = Math.max(1, Math.ceil(places / 2));
    this.#message = message;
  }

  /** Takes a place and returns the function that releases it. Throws 429 if the tenant has taken half of the places. */
  take(tenant: string): () => void {
    const count = this.#counts.get(tenant) ?? 0;
    if (count >= this.#max) {
      throw new ApiError('concurrency_limit_exceeded', { message: this.#message, retryAfterS: RETRY_S });
    }
    this.#counts.set(tenant, count + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const left = (this.#counts.get(tenant) ?? 1) - 1;
      if (left > 0) this.#counts.set(tenant, left);
      else this.#counts.delete(tenant);
    };
  }
}
