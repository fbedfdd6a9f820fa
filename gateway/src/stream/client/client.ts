import type { CloseCodeNumber, ServerMessage } from '@svc-asr/core';
import { WebSocket } from 'ws';
import { writeText } from './text-frame.ts';

/** Number of unsent bytes above which a client counts as not reading and is disconnected. */
const MAX_UNREAD_BYTES = 1_048_576;
/** Maximum time that a client may take to answer a close frame. */
const CLOSE_TIMEOUT_MS = 5000;

/** Receiver of the events of a stream. */
export interface StreamClient {
  readonly isReading: boolean;
  send: (message: ServerMessage) => void;
  /** Resumes reading from the sender of the audio if `on` is true, or else pauses it. */
  read: (on: boolean) => void;
  ping: () => void;
  close: (code: CloseCodeNumber, reason: string) => void;
  terminate: () => void;
  /**
   * Called when the stream has reached its lifetime or the idle timeout. If this callback is absent, the stream ends by
   * itself.
   */
  onTimeLimit?: () => void;
}

/** Sends events to a client over a WebSocket, pauses reading from it and closes its connection. */
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
    writeText(this.#socket, text);
    this.cutOffUnread();
  }

  /** Disconnects a client that does not read. Otherwise the gateway would buffer all events and pongs for it. */
  cutOffUnread(): void {
    if (this.#socket.bufferedAmount > MAX_UNREAD_BYTES) this.#socket.terminate();
  }

  /** Pauses or resumes reading. While reading is paused, TCP flow control slows the client down. */
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
    // A paused socket would never receive the client's close frame.
    this.read(true);
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), CLOSE_TIMEOUT_MS).unref();
  }

  terminate(): void {
    this.#socket.terminate();
  }
}

/**
 * A WebSocket that does not close by itself when the client violates the protocol. Instead it emits `broken` with the
 * close code, so that the gateway can send an `error` event before it closes the connection.
 */
export class ClientSocket extends WebSocket {
  override close(code?: number, data?: string | Buffer): void {
    // After a protocol error, ws itself calls this function with a code but without a reason. No other call is of this
    // form. The gateway always gives a reason, and the answer to a close of the client has either a reason or no code.
    if (code !== undefined && data === undefined) this.emit('broken', code);
    else super.close(code, data);
  }
}
