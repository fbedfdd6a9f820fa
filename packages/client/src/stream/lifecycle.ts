import type { AsrSession, ErrorMessage, ReadyMessage } from '@svc-asr/core';
import { adviceAfterClose, adviceAfterRefusal } from './advice.ts';
import type { StreamEnd } from './advice.ts';
import { createPendingReplies } from './pending-replies.ts';
import { connect } from './connection.ts';
import type { Connection, ConnectionListener } from './connection.ts';
import { createDeferred } from './deferred.ts';
import { createEventQueue } from './event-queue.ts';
import { parseEvent } from './event.ts';
import type { StreamEvent } from './event.ts';
import { SvcAsrStreamEnded } from './failure.ts';
import { checkSession } from './options.ts';
import type { StreamOptions } from './options.ts';
import { findWebSocket } from './socket.ts';
import { watchSilence } from './silence.ts';
import type { Silence } from './silence.ts';

/** Time that the service has to reply to a close. */
const CLOSE_TIMEOUT_MS = 5000;

/** A stream, from the creation of its session until the stream has ended. */
export class Lifecycle {
  readonly replies = createPendingReplies();
  readonly #options: StreamOptions;
  readonly #opened = createDeferred<undefined>();
  readonly #ready = createDeferred<ReadyMessage>();
  readonly #closed = createDeferred<StreamEnd>();
  readonly #events = createEventQueue<StreamEvent>();
  readonly #onAbort = () => this.#abort();
  #connection: Connection | undefined;
  #silence: Silence | undefined;
  #isOpen = false;
  #isReady = false;
  #fatal: ErrorMessage | undefined;
  /** Error of a stream that has ended. Later calls fail with this error. */
  #failure: Error | undefined;

  /** Opens the stream of the session that `createSession` returns. */
  constructor(createSession: () => Promise<AsrSession>, options: StreamOptions) {
    this.#options = options;
    this.#open(createSession).catch((error: unknown) => {
      if (options.signal?.aborted === true) this.#abort();
      else this.#endWithError(error instanceof Error ? error : new Error(String(error)));
    });
  }

  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  get ready(): Promise<ReadyMessage> {
    return this.#ready.promise;
  }

  get closed(): Promise<StreamEnd> {
    return this.#closed.promise;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  events(): AsyncIterator<StreamEvent> {
    return this.#events.iterate();
  }

  /** Returns the connection. If there is none, throws an error with the reason. */
  connection(): Connection {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#connection === undefined) throw new Error('the stream is not open yet');
    return this.#connection;
  }

  close(): void {
    if (this.#failure !== undefined) return;
    if (!this.#isOpen) {
      this.#drop(1000, '');
      return;
    }
    this.#connection?.close();
    // An unreachable service does not reply, so the wait is limited.
    const timer = setTimeout(() => this.#drop(1006, ''), CLOSE_TIMEOUT_MS);
    void this.closed.then(() => clearTimeout(timer));
  }

  async #open(createSession: () => Promise<AsrSession>): Promise<void> {
    const { signal, webSocket, connectTimeoutMs = 10_000, silenceTimeoutMs = 120_000 } = this.#options;
    signal?.throwIfAborted();
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    const [session, WebSocket] = await Promise.all([createSession(), webSocket ?? findWebSocket()]);
    checkSession(session);
    if (this.#failure !== undefined) return;
    this.#connection = connect(WebSocket, session, this.#listener(), connectTimeoutMs);
    if (!this.#connection.reportsPings || silenceTimeoutMs <= 0) return;
    this.#silence = watchSilence(silenceTimeoutMs, () => this.#drop(1006, 'silence'));
  }

  #listener(): ConnectionListener {
    return {
      opened: () => {
        this.#isOpen = true;
        this.#opened.resolve(undefined);
      },
      alive: () => this.#silence?.reset(),
      received: (data) => this.#receive(data),
      ended: (code, reason, error) => (error === undefined ? this.#end(code, reason) : this.#endWithError(error)),
    };
  }

  #receive(data: unknown): void {
    const event = parseEvent(data);
    if (event === undefined || this.#failure !== undefined) return;
    if (event.type === 'error' && event.fatal) this.#fatal = event;
    this.#events.push(event);
    this.replies.receive(event);
    if (event.type !== 'ready') return;
    this.#isReady = true;
    this.#ready.resolve(event);
  }

  #abort(): void {
    const reason: unknown = this.#options.signal?.reason;
    const error = reason instanceof Error ? reason : new Error('the stream was aborted');
    this.#finish({ code: 1000, reason: 'aborted', advice: adviceAfterClose(1000, 'aborted') }, error);
    this.#connection?.abandon();
  }

  /** Ends the stream without waiting for the service. */
  #drop(code: number, reason: string): void {
    this.#end(code, reason);
    this.#connection?.abandon();
  }

  #end(code: number, reason: string): void {
    this.#finish({ code, reason, advice: adviceAfterClose(code, reason) }, undefined);
  }

  /** Ends a stream that never opened. */
  #endWithError(error: Error): void {
    this.#finish({ code: 1006, reason: '', advice: adviceAfterRefusal(error), error }, error);
  }

  /**
   * Ends the stream. A second call has no effect. If `error` is given, readers and pending calls fail with it.
   * Otherwise readers reach the end of the events, and pending calls fail with SvcAsrStreamEnded.
   */
  #finish(end: StreamEnd, error: Error | undefined): void {
    if (this.#failure !== undefined) return;
    this.#failure = error ?? new SvcAsrStreamEnded(end, this.#fatal);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#silence?.stop();
    this.#opened.reject(this.#failure);
    this.#ready.reject(this.#failure);
    this.replies.fail(this.#failure);
    this.#events.end(error);
    this.#closed.resolve(end);
  }
}
