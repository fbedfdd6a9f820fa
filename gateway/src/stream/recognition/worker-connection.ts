import { request as requestHttp } from 'node:http';
import type { ClientRequest } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import {
  FRAME,
  MAX_STREAM_ID,
  parseRelayAnswer,
  RELAY_CONNECTION_PATH,
  RELAY_LIMITS,
  RELAY_UPGRADE,
} from '@svc-asr/core';
import type { Frame } from '@svc-asr/core';
import { FrameSocket, payloadText } from '@svc-asr/runtime';
import { ConnectionStream } from './connection-stream.ts';
import { Turns } from './turns.ts';
import type { ChannelEvents, ChannelRequest, WorkerChannel } from './worker-channel.ts';
import type { WorkerTls } from './worker-trust.ts';

export interface WorkerConnectionOptions {
  readonly address: string;
  readonly tls: WorkerTls;
  /** Longest time for connecting. */
  readonly openTimeoutMs: number;
  /** Called when the last stream has left. */
  readonly onIdle: () => void;
  /** Called once when the connection has closed or could not be opened. Its streams have been notified. */
  readonly onClosed: () => void;
}

/**
 * Bytes that may wait in this process for the socket. Live audio waits for at most as many bytes of replays as the
 * lower limit says.
 */
const UNSENT_LIMITS = { live: 1_048_576, replay: 65_536 };

/**
 * Returns whether TLS refused the certificate of the worker. An error of `checkServerIdentity` is only one of the
 * reasons. TLS does not call it for a certificate from an unknown CA.
 */
function isCertificateRefused({ socket }: ClientRequest): boolean {
  // Null unless the verification failed, although its type says otherwise.
  return socket instanceof TLSSocket && (socket.authorizationError as unknown) !== null;
}

/** The connection to a worker, which carries all streams of this gateway there. */
export class WorkerConnection {
  /** Time of the last `alive`, which concerns all streams. */
  aliveAtMs = -Infinity;
  readonly #options: WorkerConnectionOptions;
  readonly #request: ClientRequest;
  readonly #streams = new Map<number, ConnectionStream>();
  readonly #turns = new Turns();
  #frames: FrameSocket | undefined;
  #lastId = 0;
  #closed = false;

  constructor(options: WorkerConnectionOptions) {
    this.#options = options;
    const url = new URL(RELAY_CONNECTION_PATH, options.address.replace(/^ws/, 'http'));
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    this.#request = request(url, {
      ...options.tls,
      agent: false,
      headers: { connection: 'Upgrade', upgrade: RELAY_UPGRADE },
      timeout: options.openTimeoutMs,
    });
    this.#request.on('upgrade', (_response, socket, head) => this.#start(socket, head));
    this.#request.on('response', ({ statusCode = 0 }) => this.#refused(statusCode));
    this.#request.on('timeout', () => this.#request.destroy(new Error('the worker did not answer in time')));
    this.#request.on('error', ({ message }) => {
      const refused = isCertificateRefused(this.#request);
      this.#close((stream) => (refused ? stream.events.onWrongWorker(message) : stream.events.onLost(message)));
    });
    this.#request.end();
  }

  /** Number of open streams. */
  get size(): number {
    return this.#streams.size;
  }

  /** True if the connection can take another stream. */
  get hasRoom(): boolean {
    return !this.#closed && this.size < RELAY_LIMITS.maxStreams && this.#lastId < MAX_STREAM_ID;
  }

  /** Opens a stream, as soon as the connection is open. */
  open(request: ChannelRequest, events: ChannelEvents): WorkerChannel {
    const stream = new ConnectionStream(++this.#lastId, request, events, this);
    this.#streams.set(stream.id, stream);
    if (this.#frames !== undefined) stream.sendOpen(this.#frames);
    return stream;
  }

  /** Gives a stream a turn to send. */
  schedule(stream: ConnectionStream): void {
    this.#turns.add(stream);
    if (!this.#turns.isEmpty) this.#frames?.requestFlush();
  }

  /** Removes a stream. Call once the stream has ended for this gateway. */
  remove(stream: ConnectionStream): void {
    this.#turns.remove(stream);
    if (!this.#streams.delete(stream.id)) return;
    if (this.#streams.size === 0 && !this.#closed) this.#options.onIdle();
  }

  /** Closes the connection. Call only while it has no streams. */
  close(): void {
    if (this.#frames === undefined) this.#request.destroy();
    else this.#frames.end();
    this.#close(() => undefined);
  }

  #start(socket: Duplex, head: Buffer): void {
    if (this.#closed) {
      socket.destroy();
      return;
    }
    const frames = new FrameSocket(socket, head, {
      onFrame: (frame) => this.#receive(frame),
      onClose: (reason) => this.#close(({ events }) => events.onLost(`the connection to the worker failed: ${reason}`)),
      onFlush: () => this.#turns.run(frames.unsentBytes, UNSENT_LIMITS),
      onWritten: () => {
        if (!this.#turns.isEmpty) frames.requestFlush();
      },
    });
    this.#frames = frames;
    for (const stream of this.#streams.values()) stream.sendOpen(frames);
  }

  #receive(frame: Frame): void {
    if (frame.type === FRAME.alive) {
      this.aliveAtMs = performance.now();
      return;
    }
    const stream = this.#streams.get(frame.stream);
    // The gateway may have closed the stream while this frame was on its way.
    if (stream === undefined) return;
    if (frame.type === FRAME.consumed) stream.receiveConsumed(frame.position);
    else if (frame.type === FRAME.delta) {
      stream.receive({ type: 'delta', text: payloadText(frame), audio_end: frame.position });
    } else if (frame.type === FRAME.closed) {
      stream.lose(`the worker closed the stream (${frame.position} ${payloadText(frame)})`);
    } else {
      const parsed = frame.type === FRAME.message ? parseRelayAnswer(payloadText(frame)) : undefined;
      if (parsed?.ok === true) stream.receive(parsed.message);
      else stream.lose('the worker sent a message that is not part of the protocol');
    }
  }

  #refused(status: number): void {
    this.#request.destroy();
    this.#close(({ events }) => events.onLost(`the worker refused the connection with status ${status}`));
  }

  #close(notify: (stream: ConnectionStream) => void): void {
    if (this.#closed) return;
    this.#closed = true;
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    this.#options.onClosed();
    for (const stream of streams) notify(stream);
  }
}
