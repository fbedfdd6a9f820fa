import type { AsrSession, ErrorMessage, ReadyMessage } from '@svc-asr/core';
import { adviceAfterClose, adviceAfterRefusal } from './advice.ts';
import type { StreamEnd } from './advice.ts';
import { createPendingReplies } from './pending-replies.ts';
import type { PendingReplies } from './pending-replies.ts';
import { connect } from './connection.ts';
import type { Connection } from './connection.ts';
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

/** A stream from the creation of its session to its end. */
export interface Lifecycle {
  readonly opened: Promise<void>;
  readonly ready: Promise<ReadyMessage>;
  readonly closed: Promise<StreamEnd>;
  readonly replies: PendingReplies;
  events: () => AsyncIterator<StreamEvent>;
  isReady: () => boolean;
  /** Returns the connection. Throws the reason if there is none. */
  connection: () => Connection;
  close: () => void;
}

/** Time that the service has to reply to a close. */
const CLOSE_TIMEOUT_MS = 5000;

/** Opens the stream of the session that `createSession` returns. */
export function createLifecycle(createSession: () => Promise<AsrSession>, options: StreamOptions): Lifecycle {
  const { signal, connectTimeoutMs = 10_000, silenceTimeoutMs = 120_000 } = options;
  const [opened, ready, closed] = [
    createDeferred<undefined>(),
    createDeferred<ReadyMessage>(),
    createDeferred<StreamEnd>(),
  ];
  const [replies, events] = [createPendingReplies(), createEventQueue<StreamEvent>()];
  let connection: Connection | undefined;
  let silence: Silence | undefined;
  let failure: Error | undefined;
  let [isOpen, isReady] = [false, false];
  let fatal: ErrorMessage | undefined;

  /**
   * Ends the stream once. With `error`, waiting readers and callers fail with it. Otherwise they receive how the stream
   * was closed.
   */
  function finish(end: StreamEnd, error: Error | undefined): void {
    if (failure !== undefined) return;
    failure = error ?? new SvcAsrStreamEnded(end, fatal);
    signal?.removeEventListener('abort', onAbort);
    silence?.stop();
    opened.reject(failure);
    ready.reject(failure);
    replies.fail(failure);
    events.end(error);
    closed.resolve(end);
  }

  function onClose(code: number, reason: string): void {
    finish({ code, reason, advice: adviceAfterClose(code, reason) }, undefined);
  }

  function onRefusal(error: Error): void {
    finish({ code: 1006, reason: '', advice: adviceAfterRefusal(error), error }, error);
  }

  function onAbort(): void {
    const error = signal?.reason instanceof Error ? signal.reason : new Error('the stream was aborted');
    finish({ code: 1000, reason: 'aborted', advice: adviceAfterClose(1000, 'aborted') }, error);
    connection?.abandon();
  }

  function onSilence(): void {
    onClose(1006, 'silence');
    connection?.abandon();
  }

  function receive(data: unknown): void {
    const event = parseEvent(data);
    if (event === undefined || failure !== undefined) return;
    if (event.type === 'error' && event.fatal) fatal = event;
    events.push(event);
    replies.receive(event);
    if (event.type !== 'ready') return;
    isReady = true;
    ready.resolve(event);
  }

  async function open(): Promise<void> {
    signal?.throwIfAborted();
    signal?.addEventListener('abort', onAbort, { once: true });
    const [session, WebSocket] = await Promise.all([createSession(), options.webSocket ?? findWebSocket()]);
    checkSession(session);
    if (failure !== undefined) return;
    const listener = {
      opened: () => {
        isOpen = true;
        opened.resolve(undefined);
      },
      alive: () => silence?.reset(),
      received: receive,
      ended: (code: number, reason: string, error?: Error) =>
        error === undefined ? onClose(code, reason) : onRefusal(error),
    };
    connection = connect(WebSocket, session, listener, connectTimeoutMs);
    if (connection.reportsPings && silenceTimeoutMs > 0) silence = watchSilence(silenceTimeoutMs, onSilence);
  }

  open().catch((error: unknown) => {
    if (signal?.aborted === true) onAbort();
    else onRefusal(error instanceof Error ? error : new Error(String(error)));
  });

  return {
    opened: opened.promise,
    ready: ready.promise,
    closed: closed.promise,
    replies,
    events: events.iterate,
    isReady: () => isReady,
    connection: () => {
      if (failure !== undefined) throw failure;
      if (connection === undefined) throw new Error('the stream is not open yet');
      return connection;
    },
    close: () => {
      if (failure !== undefined) return;
      if (!isOpen) {
        onClose(1000, '');
        connection?.abandon();
        return;
      }
      connection?.close();
      // An unreachable service does not reply, so the wait is limited.
      const timer = setTimeout(() => {
        onClose(1006, '');
        connection?.abandon();
      }, CLOSE_TIMEOUT_MS);
      void closed.promise.then(() => clearTimeout(timer));
    },
  };
}
