import { AUDIO } from '@svc-asr/core';
import { Utterance } from './utterance.ts';

/** Progress of a worker: how much audio was sent to the worker, and how much of it the worker has consumed. */
export interface WorkerProgress {
  /** Number of the utterance that the worker is answering. */
  readonly utterance: number;
  /** Number of samples of that utterance that the worker has consumed. */
  readonly consumed: number;
  /** Number of samples of the current utterance that were sent to the worker. */
  readonly sent: number;
}

/**
 * The unanswered utterances of a stream, oldest first. New audio is added to the last utterance, so the list is never
 * empty.
 */
export class Utterances {
  readonly #unanswered: Utterance[] = [new Utterance(1, 0)];
  #accepted = 0;

  /** The oldest unanswered utterance. Messages of the worker are about this one. */
  get head(): Utterance {
    return this.#unanswered[0] ?? this.current;
  }

  /** The utterance to which new audio is added. */
  get current(): Utterance {
    const last = this.#unanswered.at(-1);
    if (last === undefined) throw new Error('a stream always has an utterance');
    return last;
  }

  get all(): readonly Utterance[] {
    return this.#unanswered;
  }

  /** Number of samples accepted since the start of the stream. */
  get acceptedSamples(): number {
    return this.#accepted;
  }

  /** Number of samples that are kept for a replay. */
  get held(): number {
    return this.#unanswered.reduce((sum, { held }) => sum + held, 0);
  }

  /** Number of samples that the current worker has not consumed, whether or not they were sent to it. */
  get outstanding(): number {
    let sum = 0;
    for (const { outstanding } of this.#unanswered) sum += outstanding;
    return sum;
  }

  /** True while the worker owes the answer to an utterance that has ended. */
  get owed(): boolean {
    return this.head.ending !== undefined;
  }

  /**
   * Returns whether the worker owes an answer: for an utterance that has ended, or for a whole chunk of audio. Workers
   * process only whole chunks, so no answer is owed for less audio.
   */
  owesAnswer(chunkSamples: number): boolean {
    return this.owed || this.current.hasChunk(chunkSamples);
  }

  /** True while the worker has work to do. */
  get busy(): boolean {
    return this.owed || this.#unanswered.some(({ busy }) => busy);
  }

  /** Adds a frame of whole samples to the current utterance. */
  append(pcm: Buffer): void {
    this.current.append(pcm);
    this.#accepted += pcm.length / AUDIO.bytesPerSample;
  }

  /** Flushes the current utterance and starts the next one. `atMs` is the time of the flush, see `Utterance.flush`. */
  flush(atMs?: number): void {
    this.current.flush(atMs);
    this.#startNext();
  }

  /** Resets the current utterance and starts the next one. */
  reset(): void {
    this.current.reset();
    this.#startNext();
  }

  /** Removes and returns the oldest utterance, which the worker has answered. */
  takeAnswered(): Utterance {
    const { head } = this;
    this.#unanswered.shift();
    return head;
  }

  /**
   * Ends the oldest utterance at a pause after this many samples, and returns it. The audio after the cut becomes the
   * next utterance.
   */
  cut(samples: number): Utterance {
    const { head } = this;
    for (const later of this.#unanswered.slice(1)) later.number++;
    this.#unanswered[0] = head.cut(samples);
    return head;
  }

  /** Call when another worker takes over and has received none of the audio yet. */
  forgetProgress(): void {
    for (const utterance of this.#unanswered) utterance.setProgress(0, 0);
  }

  /** Call when another worker takes over and has already received the utterances. */
  adoptProgress({ utterance, consumed, sent }: WorkerProgress): void {
    for (const one of this.#unanswered) {
      one.setProgress(one === this.current ? sent : one.samples, one.number === utterance ? consumed : 0);
    }
  }

  #startNext(): void {
    this.#unanswered.push(new Utterance(this.current.number + 1, this.#accepted));
  }
}
