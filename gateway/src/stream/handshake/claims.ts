/**
 * How many handshakes and streams of this process hold a session. The ledger notes a session only once for each
 * process: a handshake that is refused must not strike out the note of the stream that has the session.
 */
export class Claims {
  readonly #held = new Map<string, number>();

  take(sessionId: string): void {
    this.#held.set(sessionId, (this.#held.get(sessionId) ?? 0) + 1);
  }

  /** True when nobody holds the session any more. */
  release(sessionId: string): boolean {
    const left = (this.#held.get(sessionId) ?? 0) - 1;
    if (left > 0) this.#held.set(sessionId, left);
    else this.#held.delete(sessionId);
    return left <= 0;
  }
}
