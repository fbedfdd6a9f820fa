import { ApiError } from '@svc-asr/core';
import { createAttemptLimiter } from '@svc-asr/runtime';
import type { AttemptLimiter } from '@svc-asr/runtime';

/** Refusals per second of one session. A client has no reason to repeat a credential that was refused. */
export const SESSION_REFUSALS_PER_SECOND = 10;

/**
 * Limits refused handshakes. Those without a valid credential count for their address. Others count only for their
 * session. Many clients can share an address, and one of them must not be able to lock out the others.
 */
export class Refusals {
  readonly #addresses: AttemptLimiter;
  readonly #sessions = createAttemptLimiter(SESSION_REFUSALS_PER_SECOND, 1000);

  constructor(perAddressPerSecond: number) {
    this.#addresses = createAttemptLimiter(perAddressPerSecond, 1000);
  }

  /**
   * Counts a handshake without a valid credential. Throws 429 if the address has sent too many. Handshakes that get the
   * 429 are not counted, so they do not prolong the wait.
   */
  countForAddress(address: string, nowMs: number): void {
    const message = 'Too many refused handshakes from this address. Wait as long as Retry-After says.';
    throwIfBlocked(this.#addresses.waitMs(address, nowMs), message);
    this.#addresses.fail(address, nowMs);
  }

  /** Throws 429 if too many handshakes with the valid credential of a session were refused. */
  checkSession(sessionId: string, nowMs: number): void {
    const message = 'Too many refused handshakes of this session. Create a new session.';
    throwIfBlocked(this.#sessions.waitMs(sessionId, nowMs), message);
  }

  /** Counts a refused handshake whose credential is valid but, for example, used. */
  countForSession(sessionId: string, nowMs: number): void {
    this.#sessions.fail(sessionId, nowMs);
  }
}

function throwIfBlocked(waitMs: number, message: string): void {
  if (waitMs > 0) throw new ApiError('rate_limit_exceeded', { retryAfterS: waitMs / 1000, message });
}
