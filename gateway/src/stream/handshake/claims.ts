/**
 * Counts the handshakes and streams of this process that hold a session. The ledger has only one ownership record per
 * session and process. A refused handshake must not remove the record that a live stream needs.
 */
export class Claims {
  readonly #held = new Map<string, number>();

  take(sessionId: string): void {
    this.#held.set(sessionId, (this.#held.get(sessionId) ?? 0) + 1);
  }

  /** Releases one claim. Returns true if it was the last one. */
  release(sessionId: string): boolean {
    const left = (this.#held.get(sessionId) ?? 0) - 1;
    if (left > 0) this.#held.set(sessionId, left);
    else this.#held.delete(sessionId);
    return left <= 0;
  }
}
