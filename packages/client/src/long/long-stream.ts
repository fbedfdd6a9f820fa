import type {
  AsrSession,
  ConfigAckMessage,
  ErrorMessage,
  FinalMessage,
  ReadyMessage,
  ResetAckMessage,
} from '@svc-asr/core';
import { AUDIO, MAX_AUDIO_SECONDS, SAMPLES_PER_MS } from '@svc-asr/core/stream';
import { conceal } from '../conceal.ts';
import { pause } from '../retry.ts';
import { adviceAfterClose, adviceAfterRefusal } from '../stream/advice.ts';
import type { StreamEnd } from '../stream/advice.ts';
import { createDeferred } from '../stream/deferred.ts';
import type { Deferred } from '../stream/deferred.ts';
import { createEventQueue } from '../stream/event-queue.ts';
import type { StreamEvent } from '../stream/event.ts';
import { SvcAsrStreamEnded } from '../stream/failure.ts';
import { bytesOf, createFramer } from '../stream/frames.ts';
import type { PcmAudio } from '../stream/frames.ts';
import type { StreamConfig, StreamOptions } from '../stream/options.ts';
import type { AsrStream } from '../stream/stream.ts';
import type { Operation } from './operation.ts';
import { Part } from './part.ts';
import { reconnectWaitMs, waitForPlace } from './reconnect.ts';
import { Timeline } from './timeline.ts';

/** Returns a new session. `maxAudioSeconds` is the most that the stream can use. */
export type SessionSource = (request: { maxAudioSeconds: number }) => Promise<AsrSession>;

export interface LongStreamOptions extends StreamOptions {
  /** Length of all audio, if it is known. The last session then reserves no more than it needs. */
  totalSamples?: number;
  /**
   * Number of sessions in a row that may end without a new `final`. The next such session ends the stream. Default 5.
   */
  maxReconnects?: number;
  /** Called with each session. Do not log the session, because it contains a secret. */
  onSession?: (session: AsrSession) => void;
}

/**
 * Streams audio of any length through one session after another. Times and utterances continue across sessions, and a
 * session that fails is replaced. The events are the same as for a single session, with an additional `final` where a
 * session ends within an utterance.
 */
export function openLongStream(createSession: SessionSource, options: LongStreamOptions = {}): AsrStream {
  const long = new LongStream(createSession, options);
  const stream: AsrStream = {
    ready: long.ready,
    closed: long.closed,
    send: (pcm) => long.send(pcm),
    config: (config = {}) => long.config(config),
    flush: () => long.flush(),
    reset: () => long.reset(),
    keepAlive: () => long.keepAlive(),
    close: () => long.close(),
    [Symbol.asyncIterator]: () => long.events(),
  };
  return Object.freeze(conceal(stream, 'AsrStream {}'));
}

class LongStream {
  readonly #createSession: SessionSource;
  readonly #options: LongStreamOptions;
  readonly #timeline: Timeline;
  readonly #events = createEventQueue<StreamEvent>();
  readonly #ready = createDeferred<ReadyMessage>();
  readonly #closed = createDeferred<StreamEnd>();
  readonly #framer = createFramer();
  readonly #onAbort = () => this.#timeline.changes.notify();
  /** Calls of `send` that wait until their audio was sent. */
  #senders: { until: number; done: Deferred<undefined> }[] = [];
  #part: Part | undefined;
  #isReady = false;
  /** Number of sessions in a row that ended without progress. */
  #failures = 0;
  /** Position up to which the audio had a `final` when the last session ended. */
  #finalizedUntil = 0;
  /** Last fatal error. The application receives it only if no other session follows. */
  #fatal: ErrorMessage | undefined;
  /** Error of a stream that has ended. */
  #failure: Error | undefined;

  constructor(createSession: SessionSource, options: LongStreamOptions) {
    this.#createSession = createSession;
    this.#options = options;
    this.#timeline = new Timeline(options.totalSamples);
    options.signal?.addEventListener('abort', this.#onAbort);
    void this.#run();
  }

  get ready(): Promise<ReadyMessage> {
    return this.#ready.promise;
  }

  get closed(): Promise<StreamEnd> {
    return this.#closed.promise;
  }

  events(): AsyncIterator<StreamEvent> {
    return this.#events.iterate();
  }

  send(pcm: PcmAudio): Promise<void> {
    const { audio, changes } = this.#timeline;
    const done = createDeferred<undefined>();
    if (this.#failure !== undefined) {
      done.reject(this.#failure);
      return done.promise;
    }
    const frames = this.#framer.cut(bytesOf(pcm), AUDIO.maxFrameBytes);
    for (const frame of frames) audio.append(frame);
    if (frames.length === 0) done.resolve(undefined);
    else this.#senders.push({ until: audio.end, done });
    changes.notify();
    return done.promise;
  }

  config(config: StreamConfig): Promise<ConfigAckMessage> {
    return this.#add({
      kind: 'config',
      at: this.#timeline.audio.end,
      config,
      reply: createDeferred<ConfigAckMessage>(),
    });
  }

  flush(): Promise<FinalMessage> {
    this.#framer.drop();
    return this.#add({ kind: 'flush', at: this.#timeline.audio.end, reply: createDeferred<FinalMessage>() });
  }

  reset(): Promise<ResetAckMessage> {
    this.#framer.drop();
    return this.#add({ kind: 'reset', at: this.#timeline.audio.end, reply: createDeferred<ResetAckMessage>() });
  }

  async keepAlive(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    await this.#part?.keepAlive();
  }

  close(): Promise<StreamEnd> {
    this.#timeline.isClosing = true;
    this.#abandonUnready();
    this.#timeline.changes.notify();
    return this.#closed.promise;
  }

  /** Ends the session if the application closed the stream before it was ready. */
  #abandonUnready(): void {
    if (this.#timeline.isClosing && !this.#isReady) this.#part?.abandon();
  }

  #add<T extends Operation>(operation: T): T['reply']['promise'] {
    if (this.#failure !== undefined) operation.reply.reject(this.#failure);
    else this.#timeline.operations.push(operation);
    this.#timeline.changes.notify();
    return operation.reply.promise;
  }

  /** Runs one session after another until the stream ends. */
  async #run(): Promise<void> {
    const { signal } = this.#options;
    try {
      let end: StreamEnd;
      do {
        end = await this.#runSession();
        signal?.throwIfAborted();
        const waitMs = this.#waitAfter(end);
        if (waitMs === undefined) {
          this.#finish(end, end.error);
          return;
        }
        await pause(waitMs, signal);
      } while (await this.#needsSession());
      this.#finish(end, undefined);
    } catch (error) {
      const reason = error instanceof Error ? error : new Error(String(error));
      this.#finish({ code: 1000, reason: 'aborted', advice: adviceAfterClose(1000, 'aborted') }, reason);
    }
  }

  async #runSession(): Promise<StreamEnd> {
    const { onSession, signal } = this.#options;
    const { totalSamples, resumeAt } = this.#timeline;
    const seconds = Math.ceil((totalSamples - resumeAt) / AUDIO.sampleRateHz);
    const maxAudioSeconds = Math.max(1, Math.min(MAX_AUDIO_SECONDS, seconds));
    try {
      const session = await waitForPlace(() => this.#createSession({ maxAudioSeconds }), signal);
      onSession?.(session);
      this.#part = new Part(session, this.#timeline, this.#options, {
        onEvent: (event) => this.#onEvent(event),
        onSent: (position) => this.#onSent(position),
      });
      this.#abandonUnready();
    } catch (error) {
      const refusal = error instanceof Error ? error : new Error(String(error));
      return { code: 1006, reason: '', advice: adviceAfterRefusal(refusal), error: refusal };
    }
    const end = await this.#part.run();
    this.#part = undefined;
    return end;
  }

  /** Returns the time to wait before the next session. Undefined if no session follows. */
  #waitAfter(end: StreamEnd): number | undefined {
    // If the first session cannot be opened, the application gets the error, as with a stream of one session.
    if (!this.#isReady || this.#timeline.isClosed) return undefined;
    const { resumeAt } = this.#timeline;
    this.#failures = resumeAt > this.#finalizedUntil ? 0 : this.#failures + 1;
    this.#finalizedUntil = resumeAt;
    if (this.#failures > (this.#options.maxReconnects ?? 5)) return undefined;
    return reconnectWaitMs(end, this.#failures, Math.random());
  }

  /** Waits until another session is necessary. Returns false if the stream is closed before that. */
  async #needsSession(): Promise<boolean> {
    const timeline = this.#timeline;
    for (;;) {
      this.#options.signal?.throwIfAborted();
      this.#answerFlushes();
      if (timeline.hasWork()) return true;
      if (timeline.isClosing) return false;
      await timeline.changes.wait();
    }
  }

  /**
   * Replies to flushes that were called after a session had ended and before further audio was sent. There is no audio
   * to recognize for such a flush, so no new session is opened.
   */
  #answerFlushes(): void {
    const { operations, audio, resumeAt, unrequested } = this.#timeline;
    while (audio.end === resumeAt && operations[0]?.kind === 'flush') {
      const { reply } = operations[0];
      operations.shift();
      reply.resolve(unrequested?.at === resumeAt ? unrequested.final : this.#emptyFinal());
    }
  }

  #emptyFinal(): FinalMessage {
    const { utterance, resumeAt } = this.#timeline;
    const atMs = Math.round(resumeAt / SAMPLES_PER_MS);
    this.#timeline.utterance++;
    const final: FinalMessage = {
      type: 'final',
      text: '',
      utterance,
      audio_start_ms: atMs,
      audio_end_ms: atMs,
      words: [],
    };
    this.#events.push(final);
    return final;
  }

  #onEvent(event: StreamEvent): void {
    if (event.type === 'error' && event.fatal) {
      this.#fatal = event;
      return;
    }
    if (event.type === 'ready') {
      if (this.#isReady) return;
      this.#isReady = true;
      this.#ready.resolve(event);
    }
    this.#events.push(event);
  }

  #onSent(position: number): void {
    const sent = this.#senders.filter(({ until }) => until <= position);
    this.#senders = this.#senders.slice(sent.length);
    for (const { done } of sent) done.resolve(undefined);
  }

  #finish(end: StreamEnd, error: Error | undefined): void {
    this.#failure = error ?? new SvcAsrStreamEnded(end, this.#fatal);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#ready.reject(this.#failure);
    for (const { done } of this.#senders.splice(0)) done.reject(this.#failure);
    for (const { reply } of this.#timeline.operations.splice(0)) reply.reject(this.#failure);
    if (this.#fatal !== undefined && end.code !== 1000) this.#events.push(this.#fatal);
    this.#events.end(error);
    this.#closed.resolve(end);
  }
}
