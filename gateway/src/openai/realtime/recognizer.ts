import { ApiError, AUDIO, audioMs, SAMPLES_PER_MS } from '@svc-asr/core';
import type { ServerMessage } from '@svc-asr/core';
import type { StreamClient } from '../../stream/client/client.ts';
import type { OpenedStream } from '../../stream/opened-stream.ts';
import { answerWithoutAudio, isEndedByService, takeEnd } from './ends.ts';
import { HeldMemory } from './held-memory.ts';
import { InputAudio } from './input-format.ts';
import type { InputFormat } from './input-format.ts';
import { Operations } from './operations.ts';
import type { Operation } from './operations.ts';
import type { RecognizerEvents, RecognizerParts } from './recognizer-parts.ts';
import { SessionSender } from './session-sender.ts';
import { SessionTimers } from './session-timers.ts';

/** Maximum duration of the audio that is held until a worker has opened the stream. */
const MAX_HELD_MS = 60_000;
const MAX_HELD_BYTES = MAX_HELD_MS * SAMPLES_PER_MS * AUDIO.bytesPerSample;
/** Maximum number of held operations. Small parts of audio are joined, and count as one operation. */
const MAX_HELD_STEPS = 1000;

/** Reasons of ended streams after which the next audio starts another session. */
const RESUMABLE = new Set(['idle_timeout', 'session_time_limit']);

/**
 * Recognizes the audio of a connection in one session after another. The first audio reserves a session, and is held
 * until the session is open. A session without new audio ends after some time, so that its worker is released.
 */
export class Recognizer {
  readonly #parts: RecognizerParts;
  readonly #events: RecognizerEvents;
  readonly #operations = new Operations();
  readonly #input = new InputAudio();
  /** True if the model is known, so that a session can be reserved. */
  #isEnabled = false;
  #state: 'idle' | 'opening' | 'ready' | 'ending' | 'closed' = 'idle';
  #session: SessionSender | undefined;
  #isReading = true;
  #isSending = false;
  /** Set while an operation waits because of the rate limit for messages of the stream. */
  #waitTimer: NodeJS.Timeout | undefined;
  /** Number of samples that earlier sessions have received. */
  #earlierSamples = 0;
  readonly #timers: SessionTimers;
  /** Reason with which the recognition ends after the current session. Undefined if another session may follow. */
  #lastReason: 'session_time_limit' | 'draining' | undefined;
  readonly #memory: HeldMemory;

  constructor(parts: RecognizerParts, events: RecognizerEvents) {
    this.#parts = parts;
    this.#events = events;
    this.#memory = new HeldMemory(parts.takeMemory, MAX_HELD_MS);
    this.#timers = new SessionTimers(parts, {
      isWaiting: () => this.#operations.length > 0,
      audioMs: () => audioMs(this.#session?.sentSamples ?? 0),
      onEnd: (reason) => this.#endStream(reason),
    });
  }

  /** True if a session exists or is being reserved. */
  get isActive(): boolean {
    return this.#state !== 'idle';
  }

  /**
   * True if the service ends an utterance before the next commit or clear of the client. That commit or clear is then
   * about the audio after this utterance.
   */
  get endsUtterance(): boolean {
    return isEndedByService(this.#session?.ends ?? [], this.#operations);
  }

  /** Call once when the model is known. */
  enable(): void {
    this.#isEnabled = true;
    this.#advance();
  }

  append(bytes: Buffer, format: InputFormat): void {
    this.#timers.onAudio();
    if (!this.#holdMemory()) return;
    this.#operations.push({ type: 'audio', bytes, format });
    this.#advance();
  }

  /** Ends the utterance and requests its transcript. */
  flush(): void {
    this.#operations.push({ type: 'flush' });
    this.#advance();
  }

  /**
   * Drops the utterance. Audio that a stream has accepted is still charged. Returns the number of dropped samples that
   * no stream has received.
   */
  reset(): number {
    const dropped = this.#operations.dropLastAudio();
    if (this.#operations.audioBytes === 0) this.#memory.release();
    this.#operations.push({ type: 'reset' });
    this.#advance();
    return dropped;
  }

  /** Call when the configuration has changed. An utterance with received audio ends first. */
  configure(): void {
    const configuration = this.#parts.configuration();
    if (this.#state === 'ready') this.#operations.push({ type: 'config', configuration });
    else if (this.#state === 'opening') this.#session?.configure(configuration);
    this.#advance();
  }

  /** Ends the recognition and calls `onFailed`. If a session is ready, its received audio is transcribed first. */
  finish(): void {
    this.#lastReason = 'session_time_limit';
    if (this.#state === 'ready') this.#endStream('session_time_limit');
    else if (this.#state !== 'ending') this.#fail('session_time_limit');
  }

  /** Ends the recognition now if there is no session, or else when the session has ended. */
  drain(): void {
    this.#lastReason = 'draining';
    if (this.#state === 'idle') this.#fail('draining');
  }

  /** Call when the connection of the client is closed. */
  close(code: number): void {
    this.#state = 'closed';
    this.#stopWaiting();
    this.#session?.stream.onClosed(code);
  }

  /** Does what is possible now: reserves a session, or sends waiting operations to the stream. */
  #advance(): void {
    if (this.#state === 'ready') this.#send();
    else if (this.#state === 'idle') this.#prepare();
    this.#pace();
  }

  #pace(): void {
    const { audioBytes, length } = this.#operations;
    const isSlow = this.#state === 'ready' && audioBytes > 0 && !this.#isReading;
    const isFull = isSlow || audioBytes >= MAX_HELD_BYTES || length >= MAX_HELD_STEPS;
    this.#events.onPace(!isFull);
    if (isFull && !this.#isEnabled) this.#fail('missing_model');
  }

  /** Handles waiting operations while there is no session. The first audio reserves a session. */
  #prepare(): void {
    if (!this.#isEnabled) return;
    for (let next = this.#operations.shift(); next !== undefined; next = this.#operations.shift()) {
      if (next.type === 'reset' || next.type === 'flush') this.#answer(next.type);
      else if ('bytes' in next) {
        this.#operations.unshift(next);
        if (this.#holdMemory()) this.#open();
        return;
      }
    }
  }

  /** Takes memory for audio that no stream can receive yet. If there is no memory, calls `#fail` and returns false. */
  #holdMemory(): boolean {
    // An open session has its own share of the audio memory.
    if ((this.#session !== undefined && this.#state !== 'ending') || this.#memory.hold()) return true;
    this.#fail(new ApiError('service_unavailable', { message: 'This gateway is full or shutting down.' }));
    return false;
  }

  #open(): void {
    this.#state = 'opening';
    this.#parts.open(this.#createClient()).then(
      (opened) => this.#onOpened(opened),
      (error: unknown) => this.#fail(error instanceof Error ? error : new Error(String(error))),
    );
  }

  #onOpened({ stream, settled }: OpenedStream): void {
    // The stream has its own share of the audio memory, which is large enough for the held audio.
    this.#memory.release();
    if (this.#state === 'closed') {
      stream.onClosed(1006);
      return;
    }
    this.#session = new SessionSender(stream, this.#input);
    this.#session.configure(this.#parts.configuration());
    void settled.then(() => this.#onSettled());
  }

  /** Creates the client of a stream. The stream may call it before `open` has returned the stream. */
  #createClient(): StreamClient {
    return {
      // Idle timeout and pings of the stream are off. SessionTimers and the pings of the connection replace them.
      isReading: false,
      send: (message) => this.#receive(message),
      read: (on) => {
        this.#isReading = on;
        if (on && this.#operations.length > 0) this.#later(() => this.#advance());
      },
      ping: () => undefined,
      close: (_code, reason) => this.#onEnded(reason),
      terminate: () => undefined,
    };
  }

  #receive(message: ServerMessage): void {
    if (message.type === 'ready') this.#later(() => void this.#start());
    if (this.#state === 'closed') return;
    this.#events.onMessage(
      message,
      audioMs(this.#earlierSamples),
      takeEnd(message, this.#session?.ends ?? [], this.#operations),
    );
  }

  /** Reloads the configuration, whose contexts may be unknown until a worker has opened a stream. Then sends audio. */
  async #start(): Promise<void> {
    await this.#parts.refreshConfiguration();
    if (this.#state !== 'opening') return;
    this.#state = 'ready';
    this.#session?.configure(this.#parts.configuration());
    this.#timers.start();
    this.#advance();
  }

  /** Answers a commit or clear that no stream can answer, because there is no stream or the stream has ended. */
  #answer(end: 'flush' | 'reset'): void {
    this.#events.onMessage(answerWithoutAudio(end), audioMs(this.#earlierSamples), 'client');
  }

  /** Runs a task later in the event loop. A client must not call its stream while the stream calls the client. */
  #later(task: () => void): void {
    setImmediate(task);
  }

  /** Ends the session with a transcript of the buffered audio. Audio that arrives later waits for another session. */
  #endStream(reason: 'idle_timeout' | 'session_time_limit'): void {
    this.#startEnding();
    this.#session?.finish(reason);
  }

  #startEnding(): void {
    this.#state = 'ending';
    this.#timers.stop();
  }

  #onEnded(reason: string): void {
    if (this.#state === 'closed') return;
    this.#startEnding();
    if (!RESUMABLE.has(reason)) this.#fail(reason);
    else if (this.#lastReason !== undefined) this.#fail(this.#lastReason);
  }

  /** Called when the session is settled. Audio that has arrived in the meantime starts another session. */
  #onSettled(): void {
    if (this.#state === 'closed') return;
    if (this.#lastReason !== undefined) {
      this.#fail(this.#lastReason);
      return;
    }
    this.#state = 'idle';
    const { sentSamples = 0, ends = [] } = this.#session ?? {};
    this.#earlierSamples += sentSamples;
    this.#session = undefined;
    for (const end of ends) if (end === 'flush' || end === 'reset') this.#answer(end);
    this.#isReading = true;
    this.#advance();
  }

  #fail(reason: string | Error): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#stopWaiting();
    this.#events.onFailed(reason);
  }

  #stopWaiting(): void {
    this.#timers.stop();
    clearTimeout(this.#waitTimer);
    this.#memory.release();
    this.#operations.clear();
  }

  #send(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#state === 'ready' && this.#isReading) {
      const next = this.#operations.shift();
      if (next === undefined || !this.#sendOne(next)) break;
    }
    this.#isSending = false;
  }

  /** Sends an operation to the stream. Returns false if the operation must wait. */
  #sendOne(next: Operation): boolean {
    const { rest, waitMs } = this.#session?.send(next) ?? {};
    if (rest !== undefined) this.#operations.unshift(rest);
    if (waitMs === undefined) return true;
    clearTimeout(this.#waitTimer);
    this.#waitTimer = setTimeout(() => this.#advance(), waitMs);
    return false;
  }
}
