import type { RelayAnswer } from '@svc-asr/core';
import { HeldAudio } from './held-audio.ts';

/**
 * Audio that a worker may need in addition to a chunk: 20 ms. A worker reports fewer consumed samples than it has
 * recognized, because features overlap. After the first chunk, it may report no consumed samples at all.
 */
const OVERLAP_SAMPLES = 320;

/**
 * Number of worker failures after which an utterance is still replayed. One more failure ends its stream, because the
 * utterance may be the cause.
 */
export const MAX_WORKER_FAILURES = 2;

/**
 * Returns whether this much unconsumed audio is enough for a chunk. The function must not return true too early. The
 * answer would then seem overdue too early, and a client with an overdue answer pays nothing.
 */
export function hasChunkOf(samples: number, chunkSamples: number): boolean {
  return samples >= chunkSamples + OVERLAP_SAMPLES;
}

/** An utterance that the worker has not answered yet. It keeps the audio that a replay to another worker needs. */
export class Utterance {
  /** Number of the utterance. It increases by one if an earlier utterance is cut into two. */
  number: number;
  /** Position of the first sample in the accepted audio of the stream. */
  readonly startSample: number;
  #audio = new HeldAudio();
  #samples = 0;
  #sent = 0;
  #consumed = 0;
  /** Number of samples for which the client has received text. 0 if it has received none. */
  #deliveredSamples = 0;
  #ending: 'flush' | 'reset' | undefined;
  #flushedAtMs: number | undefined;
  #workerFailures = 0;
  #hasSpeech = false;

  constructor(number: number, startSample: number) {
    this.number = number;
    this.startSample = startSample;
  }

  get samples(): number {
    return this.#samples;
  }

  /** Number of samples that were sent to the current worker. */
  get sent(): number {
    return this.#sent;
  }

  /** Number of samples that are kept for a replay. */
  get held(): number {
    return this.#audio.samples;
  }

  /** Number of samples that the current worker has not consumed, including those that were not sent to it. */
  get outstanding(): number {
    return Math.max(0, this.#samples - this.#consumed);
  }

  /** Number of samples that the current worker has consumed. */
  get consumed(): number {
    return this.#consumed;
  }

  /** Returns whether the audio that the current worker has not consumed is enough for a chunk. */
  hasChunk(chunkSamples: number): boolean {
    return hasChunkOf(this.outstanding, chunkSamples);
  }

  /** Number of samples for which the client has received text. 0 if it has received none. */
  get deliveredSamples(): number {
    return this.#deliveredSamples;
  }

  /** True while the current worker has not consumed all audio that was sent to it. */
  get busy(): boolean {
    return this.#sent > this.#consumed;
  }

  /** Set when the client has ended the utterance. The worker then owes a `final` or a `reset_done`. */
  get ending(): 'flush' | 'reset' | undefined {
    return this.#ending;
  }

  /**
   * Time of the flush. Undefined before the flush, and if a pause has ended the utterance. Also undefined if the sender
   * was ahead of real time, because the `final` is then late even if the worker is fast.
   */
  get flushedAtMs(): number | undefined {
    return this.#flushedAtMs;
  }

  /** True if the client was notified that the utterance contains speech. */
  get hasSpeech(): boolean {
    return this.#hasSpeech;
  }

  /** Records that the utterance contains speech. Returns false if that was recorded before. */
  startSpeech(): boolean {
    const isNew = !this.#hasSpeech;
    this.#hasSpeech = true;
    return isNew;
  }

  /** Appends a copy of a frame to the audio. The frame must consist of whole samples. */
  append(pcm: Buffer): void {
    this.#audio.append(pcm);
    this.#samples = this.#audio.samples;
  }

  /** Returns the audio from a sample on. */
  audioFrom(sample: number): readonly Buffer[] {
    return this.#audio.from(sample);
  }

  /** Returns the audio that was not yet sent to the current worker, and counts it as sent. */
  takeUnsent(): readonly Buffer[] {
    const unsent = this.audioFrom(this.#sent);
    this.#sent = this.#samples;
    return unsent;
  }

  /**
   * Ends the utterance with a flush, which the worker answers with a `final`. Omit the time if the latency of that
   * `final` must not be measured.
   */
  flush(atMs?: number): void {
    this.#ending = 'flush';
    this.#flushedAtMs = atMs;
  }

  /**
   * Ends the utterance with a reset, without a `final`. The audio is dropped, because the client never gets its text
   * and no replay contains it.
   */
  reset(): void {
    this.#ending = 'reset';
    this.#audio = new HeldAudio();
    this.#consumed = this.#samples;
  }

  /**
   * Returns whether this answer may end the utterance. An answer that would end the utterance at a pause (a cut) is
   * refused if the pause is after the last sample of the utterance. It is also refused if the client has already
   * received text of audio after the pause.
   */
  mayEndWith(answer: RelayAnswer): boolean {
    if (answer.type !== 'final' || answer.endpoint !== true) return true;
    return answer.audio_end >= this.#deliveredSamples && answer.audio_end <= this.#samples;
  }

  /**
   * Ends the utterance at a pause after this many samples. Returns the next utterance. It gets the audio after the cut,
   * and the flush or reset if the client has sent one.
   */
  cut(samples: number): Utterance {
    const next = new Utterance(this.number + 1, this.startSample + samples);
    for (const pcm of this.#audio.from(samples)) next.append(pcm);
    // If the client has sent a reset, the audio was dropped, and only its length is transferred.
    next.#samples = this.#samples - samples;
    next.setProgress(Math.max(0, this.#sent - samples), Math.max(0, this.#consumed - samples));
    next.#ending = this.#ending;
    next.#flushedAtMs = this.#flushedAtMs;
    this.#samples = samples;
    this.#audio = new HeldAudio();
    this.#ending = 'flush';
    this.#flushedAtMs = undefined;
    return next;
  }

  /** Records that the worker has consumed the first `samples` samples. */
  consume(samples: number): void {
    this.#consumed = Math.max(this.#consumed, samples);
  }

  /**
   * Decides whether the client gets a delta that covers the first `audioEnd` samples. If so, records the delta and
   * returns true. The client does not get deltas that a replay repeats, or deltas of a reset utterance.
   */
  deliver(audioEnd: number): boolean {
    if (audioEnd <= this.#deliveredSamples || this.#ending === 'reset') return false;
    this.#deliveredSamples = audioEnd;
    return true;
  }

  /**
   * Sets the progress of another worker that takes over. `sent` is the number of samples that were sent to that worker,
   * and `consumed` is how many of them the worker has consumed. Does nothing for a reset utterance, whose audio is not
   * sent.
   */
  setProgress(sent: number, consumed: number): void {
    if (this.#ending === 'reset') return;
    this.#sent = sent;
    this.#consumed = consumed;
  }

  /**
   * Counts a worker that failed while this utterance was the oldest unanswered one. Returns the number of such workers.
   * A failure does not count for an utterance without audio and without an end, which cannot be the cause.
   */
  countWorkerFailure(): number {
    if (this.#samples > 0 || this.#ending !== undefined) this.#workerFailures++;
    return this.#workerFailures;
  }
}
