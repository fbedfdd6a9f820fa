import { MAX_AUDIO_SECONDS } from '@svc-asr/core';
import type { Renewal } from '@svc-asr/ledger';
import type { AudioBudget } from './audio-budget.ts';

/**
 * Number of streams for which all gateways together still have audio memory, as far as this gateway knows. Each gateway
 * publishes its own number when it renews its lease, and receives the sum of the numbers of all other gateways. If the
 * total is zero, new sessions are refused, because every gateway would refuse their handshake.
 */
export class AudioCapacity {
  readonly #budget: Pick<AudioBudget, 'freeStreams'>;
  /** Number of streams that this gateway has published last. Undefined before the first renewal. */
  #published: number | undefined;
  #freeElsewhere = Infinity;
  /** Seconds of audio that sessions created by this gateway have reserved since the last renewal of its lease. */
  #createdSeconds = 0;

  constructor(budget: Pick<AudioBudget, 'freeStreams'>) {
    this.#budget = budget;
  }

  /** True if there is audio memory for a new session. */
  get hasRoom(): boolean {
    return this.#freeSeconds > this.#createdSeconds;
  }

  /**
   * True if the lease should be renewed early. One reason is that this gateway became full or has room again, and other
   * gateways do not know this yet. The other reason is that new sessions may have used up half of the room that the
   * last renewal found.
   */
  get isOutdated(): boolean {
    return (
      (this.#budget.freeStreams === 0) !== (this.#published === 0) || 2 * this.#createdSeconds >= this.#freeSeconds
    );
  }

  get #freeSeconds(): number {
    return (this.#budget.freeStreams + this.#freeElsewhere) * MAX_AUDIO_SECONDS;
  }

  /**
   * Counts a session that this gateway has created. The stream of the session has probably not connected yet, so it has
   * taken no memory. Without this count, a burst of requests would get more sessions than there is room for. The next
   * renewal resets the count. A session longer than 300 s counts as one stream, because it takes memory for one part at
   * a time.
   */
  countCreated(reservedSeconds: number): void {
    this.#createdSeconds += Math.min(reservedSeconds, MAX_AUDIO_SECONDS);
  }

  /**
   * Calls `renew` with the number of streams for which this gateway has memory, and stores the result. Returns false if
   * Redis has no lease of this gateway.
   */
  async exchange(renew: (freeStreams: number) => Promise<Renewal | undefined>): Promise<boolean> {
    const { freeStreams } = this.#budget;
    const createdSeconds = this.#createdSeconds;
    const renewal = await renew(freeStreams);
    if (renewal === undefined) return false;
    this.#published = freeStreams;
    this.#freeElsewhere = renewal.freeElsewhere;
    this.#createdSeconds -= createdSeconds;
    return true;
  }
}
