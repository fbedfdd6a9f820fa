import type { OwnedStream, Owner, ServedStreams } from '@svc-asr/ledger';

/**
 * Counts, for each session, the handshakes, streams and settlements of this process that hold the session. The ledger
 * has only one ownership record per session and process. A refused handshake must not remove the record while a live
 * stream needs it.
 */
export class Claims {
  readonly #held = new Map<string, { count: number; stream: OwnedStream; owner: Owner }>();

  take({ tenant, sessionId, chainId }: OwnedStream, owner: Owner): void {
    const count = (this.#held.get(sessionId)?.count ?? 0) + 1;
    this.#held.set(sessionId, { count, stream: { tenant, sessionId, chainId }, owner });
  }

  /** Releases one claim. Returns true if it was the last claim on the session. */
  release(sessionId: string): boolean {
    const claim = this.#held.get(sessionId);
    if (claim !== undefined && claim.count > 1) {
      claim.count--;
      return false;
    }
    this.#held.delete(sessionId);
    return true;
  }

  /** Returns the streams that an owner holds. `has` checks one stream in constant time. */
  heldBy(owner: Owner): ServedStreams {
    const held = this.#held;
    return {
      has: (sessionId) => held.get(sessionId)?.owner === owner,
      list: () => [...held.values()].filter((claim) => claim.owner === owner).map(({ stream }) => stream),
    };
  }
}
