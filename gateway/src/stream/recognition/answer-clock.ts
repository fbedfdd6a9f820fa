import { SAMPLES_PER_MS } from '@svc-asr/core';
import type { RelayAnswer } from '@svc-asr/core';
import type { Utterance } from './utterance.ts';

/**
 * Measures for how long the oldest answer that workers owe to a stream is overdue. Each answer that makes progress
 * restarts the measurement. A worker that steadily works through a long backlog is therefore not overdue.
 *
 * For audio that is ahead of real time, workers use only spare capacity. The next answer about such audio is therefore
 * due when real time has caught up with the audio. A worker that is lost or hangs is detected earlier, because its
 * connection closes or its `alive` messages stop.
 */
export class AnswerClock {
  #owing = false;
  /**
   * Time at which the oldest owed answer is due. If no answer is owed, the earliest time at which the next answer can
   * be due.
   */
  #dueMs: number;
  /**
   * Position in the stream up to which the audio was answered, by the current worker or an earlier one. A replay does
   * not move this position back.
   */
  #answeredSamples = 0;

  constructor(nowMs: number) {
    this.#dueMs = nowMs;
  }

  /** Records whether a worker owes an answer at this time. */
  setOwing(owing: boolean, nowMs: number): void {
    if (owing && !this.#owing) this.#dueMs = Math.max(this.#dueMs, nowMs);
    this.#owing = owing;
  }

  /** Starts to measure how long workers take to open the stream. All of this time counts as overdue. */
  startOpening(nowMs: number): void {
    this.#owing = true;
    this.#dueMs = nowMs;
  }

  /** Records an answer about an utterance. Call it before the utterance itself records the answer. */
  recordAnswer(
    { startSample, samples, consumed }: Pick<Utterance, 'startSample' | 'samples' | 'consumed'>,
    answer: Extract<RelayAnswer, { type: 'final' | 'reset_done' | 'consumed' }>,
    nowMs: number,
  ): void {
    if (answer.type === 'consumed' && answer.samples <= consumed) return;
    const end = startSample + answeredSamples(answer, samples);
    const added = Math.max(0, end - Math.max(startSample, this.#answeredSamples));
    this.#answeredSamples = Math.max(this.#answeredSamples, end);
    this.#dueMs = Math.max(this.#dueMs, nowMs) + added / SAMPLES_PER_MS;
  }

  /**
   * Returns for how long an answer is overdue, not counting the time before `sinceMs`. 0 or less if no answer is
   * overdue.
   */
  overdueMs(nowMs: number, sinceMs = -Infinity): number {
    return this.#owing ? nowMs - Math.max(this.#dueMs, sinceMs) : 0;
  }
}

/**
 * Returns how many samples of an utterance an answer covers. The audio of a reset is dropped and counts as not
 * answered.
 */
function answeredSamples(
  answer: Extract<RelayAnswer, { type: 'final' | 'reset_done' | 'consumed' }>,
  samples: number,
): number {
  if (answer.type === 'consumed') return answer.samples;
  if (answer.type === 'reset_done') return 0;
  return answer.endpoint === true ? answer.audio_end : samples;
}
