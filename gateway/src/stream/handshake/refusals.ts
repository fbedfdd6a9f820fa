import { createAttemptLimiter } from '@svc-asr/runtime';
import type { AttemptLimiter } from '@svc-asr/runtime';
import type { RefusalDelay } from '../../auth/refusal-delay.ts';
import { KeyCounts } from '../../key-counts.ts';

/**
 * Number of refused handshakes that one session may have per second. A client has no reason to repeat a refused
 * credential.
 */
export const SESSION_REFUSALS_PER_SECOND = 10;

/** Retry-After of a session with too many unanswered handshakes. */
const PENDING_RETRY_MS = 1000;

/**
 * Limits refused handshakes. A handshake without a valid credential counts for its address. Any other refused handshake
 * counts only for its session, because many clients can share an address, and one client must not lock out the others.
 * Each 429 is delayed, and so are other refusals of an address that fails often.
 */
export class Refusals {
  readonly #addresses: AttemptLimiter;
  readonly #sessions = createAttemptLimiter(SESSION_REFUSALS_PER_SECOND, 1000);
  /** Number of handshakes of each session that are not answered yet. */
  readonly #pending = new KeyCounts();
  readonly #delay: RefusalDelay;

  constructor(perAddressPerSecond: number, delay: RefusalDelay) {
    this.#delay = delay;
    this.#addresses = createAttemptLimiter(perAddressPerSecond, 1000);
  }

  /**
   * Counts a handshake without a valid credential. Throws 429 if the address has sent too many such handshakes. A
   * handshake that gets 429 is not counted, so that it does not extend the wait of the client. If the refusal must be
   * delayed, returns after the delay.
   */
  async countForAddress(address: string, nowMs: number): Promise<void> {
    const message = 'Too many refused handshakes from this address. Wait as long as Retry-After says.';
    const waitMs = this.#addresses.waitMs(address, nowMs);
    if (waitMs > 0) await this.#delay.refuse(waitMs, message);
    this.#addresses.fail(address, nowMs);
    await this.#delay.waitAfterFailure(address, nowMs);
  }

  /**
   * Starts a handshake with the valid credential of a session, and returns the function that ends it. Throws 429 if too
   * many handshakes of the session were refused, or are not answered yet. Each unanswered handshake holds audio memory
   * for the longest possible session.
   */
  async startForSession(sessionId: string, nowMs: number): Promise<() => void> {
    const message = 'Too many refused handshakes of this session. Create a new session.';
    const isFull = this.#pending.of(sessionId) >= SESSION_REFUSALS_PER_SECOND;
    const waitMs = isFull ? PENDING_RETRY_MS : this.#sessions.waitMs(sessionId, nowMs);
    // Nothing is awaited between the check and the count, so that handshakes in parallel do not exceed the limit.
    if (waitMs > 0) await this.#delay.refuse(waitMs, message);
    return this.#pending.add(sessionId);
  }

  /** Counts a refused handshake whose credential is valid, for example because the credential was already used. */
  countForSession(sessionId: string, nowMs: number): void {
    this.#sessions.fail(sessionId, nowMs);
  }
}
