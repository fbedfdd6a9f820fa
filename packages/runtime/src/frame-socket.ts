import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { CONNECTION_ID, FRAME, FRAME_HEADER_BYTES, FrameError, FrameReader } from '@svc-asr/core';
import { RELAY_CLOSE, RELAY_LIMITS, writeFrameHeader } from '@svc-asr/core';
import type { Frame, FrameType } from '@svc-asr/core';

/** Frames of one callback that are together smaller than this are copied into one buffer. Larger ones are not copied. */
const COPIED_BYTES = 16_384;
/**
 * Time after a write in which a connection counts as busy. Frames are written at the end of the current callback. On a
 * busy connection, other callbacks of this turn of the event loop probably send frames too. All frames are then written
 * at the end of the turn, which is later but needs fewer system calls.
 */
const BUSY_MS = 1;
/** Longest time for the other side to close a connection that this side has ended. */
const END_MS = 1000;
const EMPTY = Buffer.alloc(0);

export interface FrameSocketEvents {
  /** Called with each frame of a stream, and with `alive`. A thrown FrameError ends the connection. */
  onFrame: (frame: Frame) => void;
  /** Called once when the connection has ended, with the reason. */
  onClose: (reason: string) => void;
  /** Called before collected frames are written. It may send more. */
  onFlush?: () => void;
  /** Called when collected frames were passed to the kernel. */
  onWritten?: () => void;
}

/**
 * A connection that carries frames. Frames that are sent in one callback of the event loop are written together. The
 * socket is always read, because other streams must not wait for one.
 */
export class FrameSocket {
  readonly #socket: Duplex;
  readonly #events: FrameSocketEvents;
  readonly #reader = new FrameReader(RELAY_LIMITS.maxFrameBytes);
  /** True if anything was received since the last call of `takeReceived`. */
  #received = true;
  #pieces: Uint8Array[] = [];
  #collectedBytes = 0;
  #isFlushRequested = false;
  #flushedAtMs = -Infinity;
  #closed = false;
  #reason = 'the connection was closed';

  /** `head` are bytes that arrived together with the upgrade. */
  constructor(
    socket: Duplex & Partial<Pick<Socket, 'setNoDelay' | 'setTimeout'>>,
    head: Uint8Array,
    events: FrameSocketEvents,
  ) {
    this.#socket = socket;
    this.#events = events;
    socket.setNoDelay?.(true);
    socket.setTimeout?.(0);
    socket.on('error', (error) => (this.#reason = error.message));
    socket.on('end', () => socket.end());
    socket.on('close', () => this.#close());
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    // The owner must have the socket before the first frame arrives.
    if (head.length > 0) socket.unshift(head);
  }

  /** Bytes that were sent and not yet passed to the kernel. */
  get unsentBytes(): number {
    return this.#collectedBytes + this.#socket.writableLength;
  }

  /** True while frames can be sent. */
  get isOpen(): boolean {
    return !this.#closed && this.#socket.writable;
  }

  /** Sends a frame at the end of the current callback or turn. The payload must not change until it is written. */
  send(type: FrameType, stream: number, position = 0, payload: Uint8Array = EMPTY): void {
    if (!this.isOpen) return;
    const header = Buffer.allocUnsafe(FRAME_HEADER_BYTES);
    writeFrameHeader(header, { stream, type, position, length: payload.length });
    this.#pieces.push(header);
    if (payload.length > 0) this.#pieces.push(payload);
    this.#collectedBytes += FRAME_HEADER_BYTES + payload.length;
    this.requestFlush();
  }

  /** Sends a JSON message. */
  sendMessage(stream: number, message: object, position = 0): void {
    this.send(FRAME.message, stream, position, Buffer.from(JSON.stringify(message)));
  }

  ping(): void {
    this.send(FRAME.ping, CONNECTION_ID);
  }

  /** Calls `onFlush` and writes the collected frames, at the end of the current callback or turn. */
  requestFlush(): void {
    if (this.#isFlushRequested) return;
    this.#isFlushRequested = true;
    const flush = () => {
      if (this.#isFlushRequested) this.#flush();
    };
    if (performance.now() - this.#flushedAtMs < BUSY_MS) setImmediate(flush);
    else queueMicrotask(flush);
  }

  /** Returns whether anything was received since the last call. */
  takeReceived(): boolean {
    const received = this.#received;
    this.#received = false;
    return received;
  }

  /** Writes what was sent and closes the connection. Destroys it if the other side does not close it in time. */
  end(reason?: string): void {
    if (this.#closed) return;
    if (reason !== undefined) this.#reason = reason;
    this.#flush();
    this.#socket.end();
    const timer = setTimeout(() => this.#socket.destroy(), END_MS);
    this.#socket.once('close', () => clearTimeout(timer));
    this.#close();
  }

  /** Reports the reason to the other side and closes the connection. */
  fail(reason: string): void {
    this.send(FRAME.closed, CONNECTION_ID, RELAY_CLOSE.failed, Buffer.from(reason));
    this.end(reason);
  }

  /** Closes the connection at once. */
  destroy(reason?: string): void {
    if (reason !== undefined) this.#reason = reason;
    this.#socket.destroy();
    this.#close();
  }

  /** Resolves when everything that was sent is in the kernel or the connection has closed. */
  async flushed(): Promise<void> {
    this.#flush();
    if (!this.isOpen) return;
    await new Promise<void>((resolve) => {
      this.#socket.once('close', resolve);
      this.#socket.write(EMPTY, () => {
        this.#socket.off('close', resolve);
        resolve();
      });
    });
  }

  #read(bytes: Buffer): void {
    if (this.#closed) return;
    this.#received = true;
    try {
      for (const frame of this.#reader.read(bytes)) this.#receive(frame);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.fail(error.message);
    }
  }

  #receive(frame: Frame): void {
    if (this.#closed) return;
    if (frame.type === FRAME.ping) this.send(FRAME.pong, CONNECTION_ID);
    else if (frame.type === FRAME.closed && frame.stream === CONNECTION_ID) this.end(payloadText(frame));
    else if (frame.type !== FRAME.pong) this.#events.onFrame(frame);
  }

  #flush(): void {
    if (this.isOpen) this.#events.onFlush?.();
    this.#isFlushRequested = false;
    this.#flushedAtMs = performance.now();
    const [pieces, bytes] = [this.#pieces, this.#collectedBytes];
    if (pieces.length === 0 || !this.isOpen) return;
    this.#pieces = [];
    this.#collectedBytes = 0;
    const last = bytes <= COPIED_BYTES ? Buffer.concat(pieces, bytes) : (pieces.pop() ?? EMPTY);
    this.#socket.cork();
    if (last.length < bytes) for (const piece of pieces) this.#socket.write(piece);
    this.#socket.write(last, () => this.#events.onWritten?.());
    this.#socket.uncork();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#isFlushRequested = false;
    this.#pieces = [];
    this.#collectedBytes = 0;
    this.#events.onClose(this.#reason);
  }
}

/** Returns the payload of a frame as text. */
export function payloadText({ payload }: Pick<Frame, 'payload'>): string {
  return Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString();
}
