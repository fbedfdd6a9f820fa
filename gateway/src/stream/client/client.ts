import type { CloseCodeNumber, ServerMessage } from '@svc-asr/core';
import { WebSocket } from 'ws';

/** Largest number of unsent bytes. More means that the client does not read. */
const MAX_UNREAD_BYTES = 1_048_576;
/** Longest time that a client may take to answer a close. */
const CLOSE_TIMEOUT_MS = 5000;

/** Receiver of the events of a stream. */
export interface StreamClient {
  readonly isReading: boolean;
  send: (message: ServerMessage) => void;
  /** Pauses or resumes reading. */
  read: (on: boolean) => void;
  ping: () => void;
  close: (code: CloseCodeNumber, reason: string) => void;
  terminate: () => void;
  /**
   * Called when the stream has lived or was idle as long as it may. If it is absent, the stream ends by itself and is
   * charged.
   */
  onTimeLimit?: () => void;
}

/** Sends events to a client, slows it down and closes its connection. */
export class Client implements StreamClient {
  readonly #socket: WebSocket;
  #reading = true;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  get isReading(): boolean {
    return this.#reading;
  }

  send(message: ServerMessage): void {
    this.sendText(JSON.stringify(message));
  }

  sendText(text: string): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.send(text);
    this.cutOffUnread();
  }

  /**
   * Disconnects a client that does not read. Otherwise the gateway would buffer all events and pongs for
   * this client.
   */
  cutOffUnread(): void {
    if (this.#socket.bufferedAmount > MAX_UNREAD_BYTES) this.#socket.terminate();
  }

  /** Pauses or resumes reading. While paused, TCP flow control slows the sender down. */
  read(on: boolean): void {
    if (on === this.#reading) return;
    this.#reading = on;
    if (on) this.#socket.resume();
    else this.#socket.pause();
  }

  ping(): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.ping();
  }

  close(code: number, reason: string): void {
    // A paused socket never receives the answer to the close.
    this.read(true);
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), CLOSE_TIMEOUT_MS).unref();
  }

  terminate(): void {
    this.#socket.terminate();
  }
}

/**
 * A WebSocket that does not close by itself when the client breaks the protocol. It emits `broken` with the close code
 * instead, so that the gateway can send an `error` event before the close.
 */
export class ClientSocket extends WebSocket {
  override close(code?: number, data?: string | Buffer): void {
    // Only ws itself closes with a code and without a reason, after a protocol error. The gateway always gives a
    // reason, and the answer to the client's close has either a reason or no code.
    if (code !== undefined && data === undefined) this.emit('broken', code);
    else super.close(code, data);
  }
}
