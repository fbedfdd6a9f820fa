import { AUDIO, RELAY_LIMITS } from '@svc-asr/core';
import type { RelayAnswer } from '@svc-asr/core';

export type Mark = 'flush' | 'reset';

/** A frame of a stream that may be sent now. */
export type OutgoingFrame =
  | { readonly kind: 'audio'; readonly position: number; readonly pcm: Buffer }
  | { readonly kind: Mark; readonly position: number };

/**
 * Audio and marks that a gateway has to send for one stream, in order. The worker announces how much audio it can
 * buffer, and reports how much it has consumed. Only audio that fits into this buffer is sent. The audio of a slow
 * stream therefore waits in this object, and does not block the connection.
 *
 * Positions are numbers of samples since the start of the stream at this worker.
 */
export class OutgoingStream {
  /** Audio before this position is a replay. Audio from this position on is new. */
  readonly #liveFrom: number;
  readonly #queue: (Buffer | Mark)[] = [];
  #queued = 0;
  #sent = 0;
  #consumed = 0;
  #bufferSamples = 0;
  /** Positions of the marks that the worker has not answered, oldest first. Some of them may not be sent yet. */
  readonly #marks: number[] = [];
  #unansweredMarks = 0;
  #utteranceStart = 0;

  constructor(replayedSamples: number) {
    this.#liveFrom = replayedSamples;
  }

  /**
   * True while the next audio is part of a replay. Replayed audio is less urgent than the live audio of other streams.
   */
  get isReplay(): boolean {
    return this.#sent < this.#liveFrom;
  }

  /** True if a frame may be sent now. */
  get isReady(): boolean {
    const next = this.#queue[0];
    if (next === undefined) return false;
    return typeof next === 'string' ? this.#unansweredMarks < RELAY_LIMITS.maxMarks : this.#room > 0;
  }

  get #room(): number {
    return this.#consumed + this.#bufferSamples - this.#sent;
  }

  /** Records how much audio the worker can buffer. Nothing is sent before this call. */
  open(bufferSamples: number): void {
    this.#bufferSamples = bufferSamples;
  }

  /** Adds audio. It must consist of whole samples, and the buffer must not be changed afterwards. */
  addAudio(pcm: Buffer): void {
    if (pcm.length === 0) return;
    this.#queue.push(pcm);
    this.#queued += pcm.length / AUDIO.bytesPerSample;
  }

  /** Adds the end of an utterance. */
  addMark(mark: Mark): void {
    this.#queue.push(mark);
    this.#marks.push(this.#queued);
  }

  /**
   * Removes and returns the next frame, with at most `maxBytes` of audio. Returns undefined if there is no frame, or if
   * the worker has no room for it.
   */
  take(maxBytes: number): OutgoingFrame | undefined {
    const next = this.#queue[0];
    if (next === undefined || !this.isReady) return undefined;
    const position = this.#sent;
    if (typeof next === 'string') {
      this.#queue.shift();
      this.#unansweredMarks++;
      return { kind: next, position };
    }
    const samples = Math.min(this.#room, Math.floor(Math.min(next.length, maxBytes) / AUDIO.bytesPerSample));
    if (samples === 0) return undefined;
    const bytes = samples * AUDIO.bytesPerSample;
    if (bytes === next.length) this.#queue.shift();
    else this.#queue[0] = next.subarray(bytes);
    this.#sent += samples;
    return { kind: 'audio', position, pcm: next.subarray(0, bytes) };
  }

  /**
   * Records that a pause has ended the utterance after this many samples. If a mark of the client is pending, it now
   * ends the next utterance.
   */
  cut(samples: number): void {
    this.#utteranceStart += samples;
  }

  /** Records that the worker has answered a mark, which ends an utterance. */
  endUtterance(): void {
    this.#utteranceStart = this.#marks.shift() ?? this.#utteranceStart;
    this.#unansweredMarks = Math.max(0, this.#unansweredMarks - 1);
  }

  /**
   * Records that the worker no longer needs samples before this position. Returns the answer for the current utterance,
   * or undefined if none of its audio was consumed.
   */
  consume(position: number): Extract<RelayAnswer, { type: 'consumed' }> | undefined {
    this.#consumed = Math.max(this.#consumed, Math.min(position, this.#sent));
    const samples = position - this.#utteranceStart;
    return samples > 0 ? { type: 'consumed', samples } : undefined;
  }
}
