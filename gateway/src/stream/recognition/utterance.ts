import type { RelayAnswer } from '@svc-asr/core';
import { HeldAudio } from './held-audio.ts';

/**
 * Audio that a worker may need beyond a chunk: 20 ms. It reports less as consumed than it has recognized, because
 * features overlap. After the first chunk it may still report nothing.
 */
const OVERLAP_SAMPLES = 320;

/** Worker failures that an utterance survives. One more ends its stream, because the utterance may be the cause. */
export const MAX_WORKER_FAILURES = 2;

/**
 * Returns whether audio that a worker has not consumed is enough for a chunk. It must not be true too early, because a
 * client whose answer is overdue pays nothing.
 */
export function hasChunkOf(samples: number, chunkSamples: number): boolean {
  return samples >= chunkSamples + OVERLAP_SAMPLES;
}

/** An utterance that the worker has not answered yet. It keeps the audio that a replay on another worker needs. */
export class Utterance {
  /** Number of the utterance. It increases if an earlier one is cut. */
  number: number;
  /** Position of the first sample in the accepted audio of the stream. */
  readonly startSample: number;
  #audio = new HeldAudio();
  #samples = 0;
  #sent = 0;
  #consumed = 0;
  /** End of the text that the client has received, in samples of the utterance. 0 if it has received none. */
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

  /** Samples that the current worker was sent. */
  get sent(): number {
    return this.#sent;
  }

  /** Samples that are kept for a replay. */
  get held(): number {
    return this.#audio.samples;
  }

  /** Samples that the current worker has not consumed, including those that were not sent to it. */
  get outstanding(): number {
    return Math.max(0, this.#samples - this.#consumed);
  }

  /** Samples that the current worker has consumed. */
  get consumed(): number {
    return this.#consumed;
  }

  /** Returns whether the audio that the current worker has not consumed is enough for a chunk. */
  hasChunk(chunkSamples: number): boolean {
    return hasChunkOf(this.outstanding, chunkSamples);
  }

  /** End of the text that the client has received, in samples of the utterance. 0 if it has received none. */
  get deliveredSamples(): number {
    return this.#deliveredSamples;
  }

  /** True while the current worker has audio that it has not consumed. */
  get busy(): boolean {
    return this.#sent > this.#consumed;
  }

  /** Set once the client has ended the utterance. The worker then owes a `final` or a `reset_done`. */
  get ending(): 'flush' | 'reset' | undefined {
    return this.#ending;
  }

  /**
   * Time of the flush. Undefined before it, and if the sender was ahead of real time, because the `final` would be late
   * in any case.
   */
  get flushedAtMs(): number | undefined {
    return this.#flushedAtMs;
  }

  /** Whether the client was notified that the utterance has speech. */
  get hasSpeech(): boolean {
    return this.#hasSpeech;
  }

  /** Records that the utterance has speech. Returns false if that was recorded before. */
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

  /** Returns the audio that the current worker was not sent yet, and counts it as sent. */
  takeUnsent(): readonly Buffer[] {
    const unsent = this.audioFrom(this.#sent);
    this.#sent = this.#samples;
    return unsent;
  }

  /** Ends the utterance with a `final`. Pass no time if the latency of that `final` must not be measured. */
  flush(atMs?: number): void {
    this.#ending = 'flush';
    this.#flushedAtMs = atMs;
  }

  /**
   * Ends the utterance without a `final`. Its audio is dropped, because the client never gets its text and no replay
   * needs it.
   */
  reset(): void {
    this.#ending = 'reset';
    this.#audio = new HeldAudio();
    this.#consumed = this.#samples;
  }

  /** Returns false for a cut outside of the utterance, or before text that the client has received. */
  mayEndWith(answer: RelayAnswer): boolean {
    if (answer.type !== 'final' || answer.endpoint !== true) return true;
    return answer.audio_end >= this.#deliveredSamples && answer.audio_end <= this.#samples;
  }

  /**
   * Ends the utterance at a pause after this many samples. Returns the next utterance, which has the audio after the
   * cut, and the flush or reset if there is one.
   */
  cut(samples: number): Utterance {
    const next = new Utterance(this.number + 1, this.startSample + samples);
    for (const pcm of this.#audio.from(samples)) next.append(pcm);
    // The audio of a reset was dropped.
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
   * Decides whether the client gets a delta that covers the first `audioEnd` samples, and records it if so. A replay
   * repeats deltas that the client has already received, and a reset utterance has no more text.
   */
  deliver(audioEnd: number): boolean {
    if (audioEnd <= this.#deliveredSamples || this.#ending === 'reset') return false;
    this.#deliveredSamples = audioEnd;
    return true;
  }

  /** Call when another worker takes over, which was sent `sent` samples and has consumed `consumed` of them. */
  setProgress(sent: number, consumed: number): void {
    if (this.#ending === 'reset') return;
    this.#sent = sent;
    this.#consumed = consumed;
  }

  /**
   * Counts a worker that failed while it had this utterance, and returns the number of such workers. An utterance
   * without input is not counted, because it cannot be the cause.
   */
  countWorkerFailure(): number {
    if (this.#samples > 0 || this.#ending !== undefined) this.#workerFailures++;
    return this.#workerFailures;
  }
}
