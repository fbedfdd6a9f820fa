import { MAX_AUDIO_SECONDS } from '@svc-asr/core';
import type { Renewal } from '@svc-asr/ledger';
import type { AudioBudget } from './audio-budget.ts';

/**
 * Number of streams that the audio memory of all gateways can still accept, as far as this gateway knows. Each gateway
 * publishes its own number when it renews its lease, and gets the sum of the others. A session is refused when the sum
 * of all is zero, because its handshake would be refused everywhere.
 */
export class AudioCapacity {
  readonly #budget: Pick<AudioBudget, 'freeStreams'>;
  /** Number that this gateway has published. Undefined before the first renewal. */
  #published: number | undefined;
  #freeElsewhere = Infinity;
  /** Audio that sessions created here since the last renewal have reserved. */
  #createdSeconds = 0;

  constructor(budget: Pick<AudioBudget, 'freeStreams'>) {
    this.#budget = budget;
  }

  /** True if a new session would find audio memory. */
  get hasRoom(): boolean {
    return this.#freeSeconds > this.#createdSeconds;
  }

  /**
   * True if the lease should be renewed early. Either this gateway became full or has room again, and others do not know
   * it yet. Or half of the room that the last renewal found may be taken.
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
   * Counts a session that was created here. Its stream has probably not connected yet, so a burst of requests does not
   * get more sessions than there is room for. The next renewal removes it from the count. A longer session counts as one
   * stream, because it takes memory for one part at a time.
   */
  countCreated(reservedSeconds: number): void {
    this.#createdSeconds += Math.min(reservedSeconds, MAX_AUDIO_SECONDS);
  }

  /** Calls `renew` with the number to publish, and stores its result. Returns false if the lease had expired. */
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
