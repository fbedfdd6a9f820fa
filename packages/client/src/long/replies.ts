import type { FinalMessage, SpeechEndedMessage, SpeechStartedMessage } from '@svc-asr/core';
import { audioMs, SAMPLES_PER_MS } from '@svc-asr/core/stream';
import type { StreamEvent } from '../stream/event.ts';
import { SvcAsrStreamError } from '../stream/failure.ts';
import { isAboutConfig } from '../stream/pending-replies.ts';
import type { Operation } from './operation.ts';
import { seamAfter } from './seam.ts';
import type { Timeline } from './timeline.ts';

/** End of a session that another session continues. */
export interface SessionEnd {
  /** Number of samples of the long stream that precede the end of the session. */
  at: number;
}

/**
 * Matches the events of one session to calls. Translates the times and utterance numbers of the session to those of the
 * long stream.
 */
export class Replies {
  readonly #timeline: Timeline;
  /** Position of the first sample of the session. */
  readonly #base: number;
  readonly #baseMs: number;
  readonly #utterancesBefore: number;
  /** Number of calls that were sent in this session and have no reply. */
  #unanswered = 0;
  /**
   * Number of configs without a reply that this client has sent by itself, to repeat the config of an earlier session.
   */
  #ownConfigs = 0;
  #isComplete = false;
  /** A `final` that no call and no pause requested. The service ends the session after it. */
  #early: FinalMessage | undefined;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    this.#base = timeline.resumeAt;
    this.#baseMs = Math.round(timeline.resumeAt / SAMPLES_PER_MS);
    this.#utterancesBefore = timeline.utterance - 1;
  }

  /** True if the `final` at the end of this session has arrived, so that the next session can continue. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  expectOwnConfig(): void {
    this.#ownConfigs++;
  }

  nextUnsent(): Operation | undefined {
    return this.#timeline.operations[this.#unanswered];
  }

  markSent(): void {
    this.#unanswered++;
  }

  /**
   * Processes an event. Returns the event for the application, or undefined if the event concerns only this session.
   */
  receive(event: StreamEvent, sessionEnd: SessionEnd | undefined): StreamEvent | undefined {
    if (event.type === 'final') return this.#onFinal(event, sessionEnd);
    if (event.type === 'delta') {
      const end = event.audio_end_ms + this.#baseMs;
      return { ...event, utterance: event.utterance + this.#utterancesBefore, audio_end_ms: end };
    }
    if (event.type === 'speech_started' || event.type === 'speech_ended') return this.#translateSpeech(event);
    const operation = this.#unanswered > 0 ? this.#timeline.operations[0] : undefined;
    if (event.type === 'reset_ack' && operation?.kind === 'reset') {
      const ack = { ...event, utterance: event.utterance + this.#utterancesBefore };
      this.#timeline.completeUntil(operation.at);
      this.#timeline.utterance = ack.utterance;
      this.#answered();
      operation.reply.resolve(ack);
      return ack;
    }
    const isRefusal = event.type === 'error' && isAboutConfig(event.code);
    if (event.type !== 'config_ack' && !isRefusal) return event;
    if (this.#ownConfigs > 0) {
      this.#ownConfigs--;
      return isRefusal ? event : undefined;
    }
    if (operation?.kind !== 'config') return event;
    this.#answered();
    if (event.type === 'config_ack') {
      this.#timeline.config = operation.config;
      operation.reply.resolve(event);
    } else {
      operation.reply.reject(new SvcAsrStreamError(event));
    }
    return event;
  }

  /**
   * Returns the last `final` of a session that the service ended early. If the stream continues with another session,
   * the result contains only the complete words.
   */
  end(isContinued: boolean): FinalMessage | undefined {
    const event = this.#early;
    return event && this.#keep(event, isContinued, this.#positionOf(event.audio_end_ms));
  }

  #onFinal(event: FinalMessage, sessionEnd: SessionEnd | undefined): FinalMessage | undefined {
    const timeline = this.#timeline;
    const flush = this.#flushOf(event);
    if (flush !== undefined) {
      const final = this.#translate(event);
      timeline.completeUntil(flush.at);
      this.#answered();
      flush.reply.resolve(final);
      return final;
    }
    if (sessionEnd !== undefined && event.audio_end_ms >= audioMs(sessionEnd.at - this.#base)) {
      this.#isComplete = true;
      return this.#keep(event, true, sessionEnd.at);
    }
    const end = this.#positionOf(event.audio_end_ms);
    if (event.endpoint === true || end >= timeline.totalSamples) return this.#keep(event, false, end);
    this.#early = event;
    return undefined;
  }

  /**
   * Returns a `final` that no flush requested and that ends at `end`. If another session continues there (`isSeam`),
   * the result contains only the complete words.
   */
  #keep(event: FinalMessage, isSeam: boolean, end: number): FinalMessage | undefined {
    const timeline = this.#timeline;
    const { final: kept, resumeMs } = isSeam ? seamAfter(event) : { final: event, resumeMs: event.audio_end_ms };
    timeline.completeUntil(resumeMs === event.audio_end_ms ? end : this.#positionOf(resumeMs));
    const final = this.#translate(kept);
    if (isSeam && final.text === '') {
      timeline.utterance = final.utterance;
      return undefined;
    }
    timeline.unrequested = { final, at: timeline.resumeAt };
    return final;
  }

  #positionOf(ms: number): number {
    return Math.min(this.#timeline.audio.end, this.#base + ms * SAMPLES_PER_MS);
  }

  /** Returns the flush that a `final` replies to. Undefined if the service finalized without a flush. */
  #flushOf(event: FinalMessage) {
    const operation = this.#unanswered > 0 ? this.#timeline.operations[0] : undefined;
    if (operation?.kind !== 'flush' || event.endpoint === true) return undefined;
    return event.audio_end_ms >= audioMs(operation.at - this.#base) ? operation : undefined;
  }

  #answered(): void {
    this.#timeline.operations.shift();
    this.#unanswered--;
  }

  #translateSpeech(event: SpeechStartedMessage | SpeechEndedMessage): StreamEvent {
    const utterance = event.utterance + this.#utterancesBefore;
    return event.type === 'speech_started'
      ? { ...event, utterance, audio_start_ms: event.audio_start_ms + this.#baseMs }
      : { ...event, utterance, audio_end_ms: event.audio_end_ms + this.#baseMs };
  }

  #translate(event: FinalMessage): FinalMessage {
    const shift = (ms: number) => ms + this.#baseMs;
    const utterance = event.utterance + this.#utterancesBefore;
    this.#timeline.utterance = utterance + 1;
    return {
      ...event,
      utterance,
      audio_start_ms: shift(event.audio_start_ms),
      audio_end_ms: shift(event.audio_end_ms),
      words: event.words.map((word) => ({
        ...word,
        start_ms: shift(word.start_ms),
        end_ms: shift(word.end_ms),
      })),
    };
  }
}
