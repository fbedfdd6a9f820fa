/** A message of the server, with the fields that load tests use. */
export interface ServerEvent {
  readonly type: string;
  readonly text?: string;
  readonly utterance?: number;
  readonly audio_start_ms?: number;
  readonly audio_end_ms?: number;
  readonly chunk_samples?: number;
  readonly code?: string;
}

/** Contribution of an event to the measurements. */
export type Observation =
  | { readonly kind: 'ready'; readonly chunkSamples: number }
  | { readonly kind: 'delta'; readonly latencyMs: number }
  | { readonly kind: 'final'; readonly latencyMs: number; readonly text: string }
  | { readonly kind: 'configured' }
  | { readonly kind: 'nothing' };

const SAMPLES_PER_MS = 16;
const NOTHING: Observation = { kind: 'nothing' };

/**
 * The client's view of one stream. It stores when each sample was sent, and measures the latency of events from these
 * times. It also records violations of the protocol, such as lost, repeated or reordered events. It has no clock, so
 * the caller passes all times.
 */
export class Track {
  readonly faults: string[] = [];
  samples = 0;
  finals = 0;
  #isReady = false;
  #lastDeltaEndMs = -1;
  #lastFinalEndMs = 0;
  readonly #frames: { end: number; atMs: number }[] = [];
  readonly #flushes: { samples: number; atMs: number }[] = [];

  /** Records that this number of further samples was sent. */
  sent(samples: number, atMs: number): void {
    this.samples += samples;
    this.#frames.push({ end: this.samples, atMs });
  }

  flushed(atMs: number): void {
    this.#flushes.push({ samples: this.samples, atMs });
  }

  /** Whether a flush has no final yet. */
  get awaitsFinal(): boolean {
    return this.#flushes.length > this.finals;
  }

  /**
   * Returns the time at which the last sample of the first `audioMs` milliseconds was sent. Undefined if this sample
   * was not sent yet.
   */
  sentAt(audioMs: number): number | undefined {
    // The service rounds `audio_end_ms` up. At the end of the audio, it may therefore refer to a sample that does not
    // exist.
    const sample = Math.min(audioMs * SAMPLES_PER_MS, this.samples);
    if (audioMs > Math.ceil(this.samples / SAMPLES_PER_MS)) return undefined;
    let [low, high] = [0, this.#frames.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#frames[middle]?.end ?? 0) >= sample) high = middle;
      else low = middle + 1;
    }
    return this.#frames[low]?.atMs;
  }

  /** Processes a message of the server. */
  receive(event: ServerEvent, atMs: number): Observation {
    switch (event.type) {
      case 'status':
        if (this.#isReady) this.faults.push('status after ready');
        return NOTHING;
      case 'ready':
        if (this.#isReady) this.faults.push('ready twice');
        this.#isReady = true;
        return { kind: 'ready', chunkSamples: event.chunk_samples ?? 0 };
      case 'config_ack':
        return { kind: 'configured' };
      case 'delta':
        return this.#delta(event, atMs);
      case 'final':
        return this.#final(event, atMs);
      case 'error':
        this.faults.push(`error ${event.code ?? 'without a code'}`);
        return NOTHING;
      default:
        this.faults.push(`unknown event ${event.type}`);
        return NOTHING;
    }
  }

  #delta({ utterance, audio_end_ms: endMs = -1 }: ServerEvent, atMs: number): Observation {
    if (utterance !== this.finals + 1) this.faults.push(`delta of utterance ${utterance ?? '?'} in ${this.finals + 1}`);
    else if (endMs === this.#lastDeltaEndMs) this.faults.push('delta twice');
    else if (endMs < this.#lastDeltaEndMs) this.faults.push('delta out of order');
    this.#lastDeltaEndMs = endMs;
    const sentAtMs = this.sentAt(endMs);
    if (sentAtMs === undefined) {
      this.faults.push('delta of audio that was not sent');
      return NOTHING;
    }
    return { kind: 'delta', latencyMs: Math.max(0, atMs - sentAtMs) };
  }

  #final(event: ServerEvent, atMs: number): Observation {
    const flush = this.#flushes[this.finals];
    if (flush === undefined) {
      this.faults.push('final without a flush');
      return NOTHING;
    }
    this.finals++;
    if (event.utterance !== this.finals)
      this.faults.push(`final of utterance ${event.utterance ?? '?'}, not ${this.finals}`);
    const endMs = Math.ceil(flush.samples / SAMPLES_PER_MS);
    if (event.audio_start_ms !== this.#lastFinalEndMs)
      this.faults.push('final does not start where the last one ended');
    if (event.audio_end_ms !== endMs)
      this.faults.push('final does not end where the audio does: audio was lost or doubled');
    this.#lastFinalEndMs = event.audio_end_ms ?? endMs;
    this.#lastDeltaEndMs = -1;
    return { kind: 'final', latencyMs: Math.max(0, atMs - flush.atMs), text: event.text ?? '' };
  }
}
