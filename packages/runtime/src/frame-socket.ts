import type { Duplex } from 'node:stream';
import { CONNECTION_ID, FRAME, FRAME_HEADER_BYTES, FrameError, FrameReader, ResendBuffer } from '@svc-asr/core';
import { RELAY_CLOSE, RELAY_LIMITS, RESUME_LIMITS, writeFrameHeader } from '@svc-asr/core';
import type { Frame, FrameType } from '@svc-asr/core';
import type { FrameSocketEvents, UpgradedSocket } from './frame-socket-events.ts';
import { readIntoSharedMemory } from './shared-reads.ts';

/** Total size up to which collected frames are copied into one buffer. Above it, they are written without a copy. */
const COPIED_BYTES = 16_384;
/**
 * Time after a write for which a connection counts as busy. Normally frames are written at the end of the current
 * callback. On a busy connection, other callbacks of the same turn of the event loop are likely to send frames too. All
 * frames are then written at the end of the turn, which is later but needs fewer system calls.
 */
const BUSY_MS = 1;
/** Maximum time for the other side to close a connection that this side has ended. */
const END_MS = 1000;
const EMPTY = Buffer.alloc(0);
/** Reason that is reported if the connection ended without an error. */
const CLOSED = 'the connection was closed';

/**
 * A connection that carries frames. Frames that are sent in one callback of the event loop are written together. The
 * socket is never paused, because one stream must not delay the others.
 *
 * If `onLost` is set, the connection can continue on another socket. No frame is then lost or repeated.
 */
export class FrameSocket {
  #socket: Duplex;
  readonly #events: FrameSocketEvents;
  readonly #reader = new FrameReader(RELAY_LIMITS.maxFrameBytes);
  /** True if anything was received, or a new socket was attached, since the last call of `takeReceived`. */
  #received = true;
  #pieces: Uint8Array[] = [];
  #collectedBytes = 0;
  #isFlushRequested = false;
  #flushedAtMs = -Infinity;
  #closed = false;
  #reason = CLOSED;
  /** Bytes that may have to be sent again. Undefined if the connection cannot be resumed. */
  readonly #sent: ResendBuffer | undefined;
  #receivedBytes = 0;
  #acknowledgedBytes = 0;
  /** True while the connection has no socket. */
  #suspended = false;
  /** Callbacks that are called when the connection has a socket again or is closed. */
  #waiting: (() => void)[] = [];

  /** `head` contains the bytes that arrived together with the upgrade. */
  constructor(socket: UpgradedSocket, head: Uint8Array, events: FrameSocketEvents) {
    this.#socket = socket;
    this.#events = events;
    if (events.onLost !== undefined) this.#sent = new ResendBuffer(RESUME_LIMITS.keptBytes);
    this.#attach(socket, head);
  }

  /** Number of bytes that were sent but not yet passed to the kernel. */
  get unsentBytes(): number {
    return this.#collectedBytes + (this.#suspended ? 0 : this.#socket.writableLength);
  }

  /** True while frames can be sent. */
  get isOpen(): boolean {
    return !this.#closed && (this.#sent !== undefined || this.#socket.writable);
  }

  /** True while the socket is lost and the connection is not closed. */
  get isSuspended(): boolean {
    return this.#suspended && !this.#closed;
  }

  /** Number of bytes of frames received since the start of the connection. */
  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  get #isWritable(): boolean {
    return !this.#closed && !this.#suspended && this.#socket.writable;
  }

  /**
   * Sends a frame at the end of the current callback or turn. The payload must not be changed until it is written. If
   * `onLost` is set, it must not be changed until the other side has acknowledged it.
   */
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

  /** Schedules a call of `onFlush` and the write of collected frames for the end of the current callback or turn. */
  requestFlush(): void {
    if (this.#isFlushRequested) return;
    this.#isFlushRequested = true;
    const flush = () => {
      if (this.#isFlushRequested) this.#flush();
    };
    if (performance.now() - this.#flushedAtMs < BUSY_MS) setImmediate(flush);
    else queueMicrotask(flush);
  }

  /** Returns whether anything was received, or a new socket was attached, since the last call. */
  takeReceived(): boolean {
    const received = this.#received;
    this.#received = false;
    return received;
  }

  /** Returns whether the connection can be resumed with a side that has received this many bytes. */
  canResume(received: number): boolean {
    return !this.#closed && this.#sent?.has(received) === true;
  }

  /**
   * Continues the connection on another socket. `received` is the number of bytes that the other side has received. The
   * bytes after them are sent again. The current socket is replaced even if this side has not noticed its loss yet.
   * Closes the connection if it cannot be resumed.
   */
  resume(socket: UpgradedSocket, head: Uint8Array, received: number): void {
    if (this.#sent === undefined || !this.canResume(received)) {
      socket.destroy();
      this.destroy('the connection cannot be resumed');
      return;
    }
    const previous = this.#socket;
    this.#suspended = false;
    this.#reason = CLOSED;
    this.#received = true;
    this.#attach(socket, head);
    previous.destroy();
    this.#write(this.#sent.after(received));
    this.#flush();
    for (const proceed of this.#waiting.splice(0)) proceed();
  }

  /**
   * Writes all frames that were sent and closes the connection. Destroys it if the other side does not close it in
   * time.
   */
  end(reason?: string): void {
    // Without this frame, the other side would try to resume the connection.
    if (this.#sent !== undefined) this.send(FRAME.closed, CONNECTION_ID, RELAY_CLOSE.done);
    this.#end(reason);
  }

  /** Reports the reason to the other side and closes the connection. */
  fail(reason: string): void {
    this.send(FRAME.closed, CONNECTION_ID, RELAY_CLOSE.failed, Buffer.from(reason));
    this.#end(reason);
  }

  /** Closes the connection immediately. */
  destroy(reason?: string): void {
    if (reason !== undefined) this.#reason = reason;
    this.#socket.destroy();
    this.#close();
  }

  /** Resolves when all sent frames are passed to the kernel, or when the connection is closed. */
  async flushed(): Promise<void> {
    do {
      if (this.isSuspended) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      this.#flush();
      if (this.#isWritable) await this.#written();
    } while (this.isSuspended);
  }

  /** Resolves when all written bytes are passed to the kernel, or when the socket is closed. */
  async #written(): Promise<void> {
    const socket = this.#socket;
    await new Promise<void>((resolve) => {
      socket.once('close', resolve);
      socket.write(EMPTY, () => {
        socket.off('close', resolve);
        resolve();
      });
    });
  }

  #attach(socket: UpgradedSocket, head: Uint8Array): void {
    this.#socket = socket;
    socket.setNoDelay?.(true);
    socket.setTimeout?.(0);
    socket.on('error', (error) => {
      if (socket === this.#socket) this.#reason = error.message;
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      if (socket === this.#socket) this.#lose();
    });
    // The bytes are put back into the socket, so that the first frame is read only after the caller of the constructor
    // has this object. This must happen before the data listener is added, because a socket with a data listener would
    // pass the bytes to it immediately.
    if (head.length > 0) socket.unshift(head);
    const read = (bytes: Buffer) => {
      // A destroyed socket still delivers its buffered bytes. The other side sends them again after a resume.
      if (socket === this.#socket && !socket.destroyed) this.#read(bytes);
    };
    readIntoSharedMemory(socket, read);
    socket.on('data', read);
  }

  #lose(): void {
    if (this.#closed) return;
    this.#suspended = true;
    if (this.#events.onLost?.(this.#reason) !== true) this.#close();
  }

  #end(reason: string | undefined): void {
    if (this.#closed) return;
    if (reason !== undefined) this.#reason = reason;
    if (!this.#suspended) {
      const socket = this.#socket;
      this.#flush();
      socket.end();
      const timer = setTimeout(() => socket.destroy(), END_MS);
      socket.once('close', () => clearTimeout(timer));
    }
    this.#close();
  }

  #read(bytes: Buffer): void {
    if (this.#closed) return;
    this.#received = true;
    this.#receivedBytes += bytes.length;
    try {
      this.#reader.read(bytes, this.#receive);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.fail(error.message);
    }
    if (this.#sent !== undefined && this.#receivedBytes - this.#acknowledgedBytes >= RESUME_LIMITS.ackBytes) {
      this.#acknowledgedBytes = this.#receivedBytes;
      this.send(FRAME.ack, CONNECTION_ID, this.#receivedBytes);
    }
  }

  readonly #receive = (frame: Frame): void => {
    if (this.#closed) return;
    if (frame.type === FRAME.ping) this.send(FRAME.pong, CONNECTION_ID);
    else if (frame.type === FRAME.closed && frame.stream === CONNECTION_ID) this.#end(payloadText(frame) || undefined);
    else if (frame.type === FRAME.ack) this.#receiveAck(frame.position);
    else if (frame.type !== FRAME.pong) this.#events.onFrame(frame);
  };

  #receiveAck(position: number): void {
    if (this.#sent?.acknowledge(position) !== true) throw new FrameError(`an ack of ${position} bytes is invalid`);
  }

  #flush(): void {
    if (this.#isWritable) this.#events.onFlush?.();
    this.#isFlushRequested = false;
    this.#flushedAtMs = performance.now();
    const [pieces, bytes] = [this.#pieces, this.#collectedBytes];
    if (pieces.length === 0 || !this.#isWritable) return;
    this.#pieces = [];
    this.#collectedBytes = 0;
    const written = bytes <= COPIED_BYTES ? [Buffer.concat(pieces, bytes)] : pieces;
    this.#sent?.add(written, bytes);
    this.#write(written);
  }

  #write(pieces: readonly Uint8Array[]): void {
    const last = pieces.length - 1;
    if (last < 0) return;
    const socket = this.#socket;
    if (last > 0) socket.cork();
    for (let i = 0; i < last; i++) socket.write(pieces[i]);
    socket.write(pieces[last], () => this.#events.onWritten?.());
    if (last > 0) socket.uncork();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#isFlushRequested = false;
    this.#pieces = [];
    this.#collectedBytes = 0;
    this.#events.onClose(this.#reason);
    for (const proceed of this.#waiting.splice(0)) proceed();
  }
}

/** Returns the payload of a frame as text. */
export function payloadText({ payload }: Pick<Frame, 'payload'>): string {
  return Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString();
}
