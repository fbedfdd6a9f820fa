import type { AsrSession, ErrorMessage, ReadyMessage } from '@svc-asr/core';
import { adviceAfterClose, adviceAfterRefusal } from './advice.ts';
import type { StreamEnd } from './advice.ts';
import { createAnswers } from './answers.ts';
import type { Answers } from './answers.ts';
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

/** A stream from the making of its session to its end. */
export interface Lifecycle {
  readonly opened: Promise<void>;
  readonly ready: Promise<ReadyMessage>;
  readonly closed: Promise<StreamEnd>;
  readonly answers: Answers;
  events: () => AsyncIterator<StreamEvent>;
  isReady: () => boolean;
  /** The connection while there is one; throws why there is none any more. */
  connection: () => Connection;
  close: () => void;
}

/** How long the service may take to answer a close. */
const CLOSE_TIMEOUT_MS = 5000;

/** Opens the stream of a session that is being made. */
export function createLifecycle(makeSession: () => Promise<AsrSession>, options: StreamOptions): Lifecycle {
  const { signal, connectTimeoutMs = 10_000, silenceTimeoutMs = 120_000 } = options;
  const [opened, ready, closed] = [
    createDeferred<undefined>(),
    createDeferred<ReadyMessage>(),
    createDeferred<StreamEnd>(),
  ];
  const [answers, events] = [createAnswers(), createEventQueue<StreamEvent>()];
  let connection: Connection | undefined;
  let silence: Silence | undefined;
  let failure: Error | undefined;
  let [isOpen, isReady] = [false, false];
  let fatal: ErrorMessage | undefined;

  /** Comes once. `error`: why readers and callers are to fail; else they learn how it was closed. */
  function finish(end: StreamEnd, error: Error | undefined): void {
    if (failure !== undefined) return;
    failure = error ?? new SvcAsrStreamEnded(end, fatal);
    signal?.removeEventListener('abort', onAbort);
    silence?.stop();
    opened.reject(failure);
    ready.reject(failure);
    answers.fail(failure);
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
    answers.receive(event);
    if (event.type !== 'ready') return;
    isReady = true;
    ready.resolve(event);
  }

  async function open(): Promise<void> {
    signal?.throwIfAborted();
    signal?.addEventListener('abort', onAbort, { once: true });
    const [session, WebSocket] = await Promise.all([makeSession(), options.webSocket ?? findWebSocket()]);
    checkSession(session);
    if (failure !== undefined) return;
    const listener = {
      opened: () => {
        isOpen = true;
        opened.resolve(undefined);
      },
      heard: () => silence?.heard(),
      received: receive,
      ended: (code: number, reason: string, error?: Error) =>
        error === undefined ? onClose(code, reason) : onRefusal(error),
    };
    connection = connect(WebSocket, session, listener, connectTimeoutMs);
    if (connection.hearsPings && silenceTimeoutMs > 0) silence = watchSilence(silenceTimeoutMs, onSilence);
  }

  open().catch((error: unknown) => {
    if (signal?.aborted === true) onAbort();
    else onRefusal(error instanceof Error ? error : new Error(String(error)));
  });

  return {
    opened: opened.promise,
    ready: ready.promise,
    closed: closed.promise,
    answers,
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
      // A service that is gone does not answer; nobody should wait for it.
      const timer = setTimeout(() => {
        onClose(1006, '');
        connection?.abandon();
      }, CLOSE_TIMEOUT_MS);
      void closed.promise.then(() => clearTimeout(timer));
    },
  };
}
