import type { AsrSession } from '@svc-asr/core';
import { SAMPLES_PER_MS, samplesOf } from '@svc-asr/core/stream';
import type { StreamEnd } from '../stream/advice.ts';
import type { StreamEvent } from '../stream/event.ts';
import type { StreamOptions } from '../stream/options.ts';
import { openStream } from '../stream/stream.ts';
import type { AsrStream } from '../stream/stream.ts';
import type { Operation } from './operation.ts';
import { PauseFinder } from './pause-finder.ts';
import { reconnectWaitMs } from './reconnect.ts';
import { Replies } from './replies.ts';
import type { SessionEnd } from './replies.ts';
import type { Timeline } from './timeline.ts';

/** Last part of a session, as a share of its length. The first pause in this part ends the session. */
const SEAM_SHARE = 0.1;
/** Duration of quiet audio that counts as a pause. */
const PAUSE_MS = 400;
const PIECE_SAMPLES = 16_000;
/** Size of the pieces that are sent where a pause may end the session: 100 ms of audio. */
const FINE_PIECE_SAMPLES = 1600;

export interface PartListener {
  onEvent: (event: StreamEvent) => void;
  /** Called when audio up to this position was sent. */
  onSent: (position: number) => void;
}

/**
 * One session of a long stream. It sends the audio and the calls of the timeline, and passes its events to the
 * listener.
 */
export class Part {
  readonly #timeline: Timeline;
  readonly #listener: PartListener;
  readonly #stream: AsrStream;
  readonly #replies: Replies;
  readonly #pauses = new PauseFinder();
  /** Position after the last sample that the session accepts. */
  readonly #limit: number;
  /** Position after which a pause ends the session. */
  readonly #seamFrom: number;
  #sent: number;
  /** True if the session ends at a pause and waits for the `final`. */
  #isEnding = false;
  #isOver = false;

  constructor(session: AsrSession, timeline: Timeline, options: StreamOptions, listener: PartListener) {
    this.#timeline = timeline;
    this.#listener = listener;
    this.#sent = timeline.resumeAt;
    const samples = samplesOf(session.audio.max_audio_seconds);
    this.#limit = this.#sent + samples;
    this.#seamFrom = timeline.totalSamples > this.#limit ? this.#limit - samples * SEAM_SHARE : Infinity;
    this.#replies = new Replies(timeline);
    this.#stream = openStream(session, options);
  }

  /** Streams until the session ends, and returns how it ended. */
  async run(): Promise<StreamEnd> {
    const reading = this.#read();
    // When the stream ends, pending calls reject. `closed` reports the cause.
    const writing = this.#write().catch(() => undefined);
    const end = await this.#stream.closed;
    this.#isOver = true;
    this.#timeline.changes.notify();
    await Promise.all([reading, writing]);
    const final = this.#replies.end(reconnectWaitMs(end, 0, 0) !== undefined);
    if (final !== undefined) this.#listener.onEvent(final);
    return end;
  }

  async keepAlive(): Promise<void> {
    // A session that has ended needs no keep-alive.
    await this.#stream.keepAlive().catch(() => undefined);
  }

  /** Ends the session. Call only while it is not ready. */
  abandon(): void {
    void this.#close();
  }

  async #write(): Promise<void> {
    const { config, changes } = this.#timeline;
    if (config !== undefined) {
      this.#replies.expectOwnConfig();
      void this.#stream.config(config);
    }
    await this.#stream.ready;
    while (!this.#isOver) {
      const step = this.#nextStep();
      if (step === undefined) await changes.wait();
      else await step();
    }
  }

  /** Returns the next step. Undefined if the session waits for audio, for a call of the application or for a reply. */
  #nextStep(): (() => Promise<unknown> | undefined) | undefined {
    const { audio, operations, isClosing } = this.#timeline;
    if (this.#isEnding) return undefined;
    const operation = this.#replies.nextUnsent();
    if (operation !== undefined && operation.at <= this.#sent) return () => this.#call(operation);
    const end = Math.min(audio.end, operation?.at ?? Infinity, this.#limit);
    if (this.#sent < end) return () => this.#sendPiece(end);
    const isDone = isClosing && operations.length === 0 && this.#sent === audio.end;
    return isDone ? () => this.#close() : undefined;
  }

  #close(): Promise<StreamEnd> {
    this.#timeline.isClosed = true;
    return this.#stream.close();
  }

  /** Sends a call of the application to the service. The reply arrives as an event. */
  #call(operation: Operation): undefined {
    this.#replies.markSent();
    if (operation.kind === 'flush') void this.#stream.flush();
    else if (operation.kind === 'reset') void this.#stream.reset();
    else void this.#stream.config(operation.config);
  }

  async #sendPiece(end: number): Promise<void> {
    const isFine = this.#sent >= this.#seamFrom;
    const until = Math.min(end, this.#sent + (isFine ? FINE_PIECE_SAMPLES : PIECE_SAMPLES));
    const wholeMs = until - (until % SAMPLES_PER_MS);
    const piece = this.#timeline.audio.read(this.#sent, wholeMs > this.#sent ? wholeMs : until);
    this.#pauses.push(piece);
    this.#sent += piece.length / 2;
    await this.#stream.send(piece);
    this.#listener.onSent(this.#sent);
    // The next session starts at a whole millisecond, so that its times need no rounding.
    const canEnd = isFine && this.#sent < this.#limit && this.#sent % SAMPLES_PER_MS === 0;
    if (!canEnd || this.#pauses.quietMs < PAUSE_MS) return;
    this.#isEnding = true;
    void this.#stream.flush();
  }

  async #read(): Promise<void> {
    try {
      for await (const event of this.#stream) this.#receive(event);
    } catch {
      // The stream never opened, or it was aborted. `closed` reports the cause.
    }
  }

  #receive(event: StreamEvent): void {
    const translated = this.#replies.receive(event, this.#end());
    if (translated !== undefined) this.#listener.onEvent(translated);
    if (this.#isEnding && this.#replies.isComplete) void this.#stream.close();
    this.#timeline.changes.notify();
  }

  /**
   * Returns the position at which this session ends and the next session continues. Undefined if all audio fits into
   * this session.
   */
  #end(): SessionEnd | undefined {
    if (this.#isEnding) return { at: this.#sent };
    // The service ends the session at its limit.
    return this.#timeline.totalSamples > this.#limit ? { at: this.#limit } : undefined;
  }
}
