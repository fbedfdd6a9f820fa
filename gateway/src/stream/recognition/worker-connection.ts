import type { ClientRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import { FRAME, MAX_STREAM_ID, parseRelayAnswer, RELAY_LIMITS, RESUME_HEADERS } from '@svc-asr/core';
import type { Frame } from '@svc-asr/core';
import { FrameSocket, payloadText } from '@svc-asr/runtime';
import { ConnectionResume, readResumeTerms } from './connection-resume.ts';
import type { LossOutcome, ResumeTerms } from './connection-resume.ts';
import { ConnectionStream } from './connection-stream.ts';
import { Turns } from './turns.ts';
import type { ChannelEvents, ChannelRequest, WorkerChannel } from './worker-channel.ts';
import type { WorkerTls } from './worker-trust.ts';
import { requestUpgrade } from './worker-upgrade.ts';

export interface WorkerConnectionOptions {
  readonly address: string;
  readonly tls: WorkerTls;
  /** Timeout for connecting. */
  readonly openTimeoutMs: number;
  /** Called when the last stream has left. */
  readonly onIdle: () => void;
  /** Called once when the connection has closed or could not be opened, before its streams are notified. */
  readonly onClosed: () => void;
  /** Called when a lost connection was resumed or could not be resumed. */
  readonly onLossSettled: (outcome: LossOutcome) => void;
}

/**
 * Maximum number of unsent bytes that may wait in this process for the socket. Replays have a lower limit, so that at
 * most a few bytes of replays delay live audio.
 */
const UNSENT_LIMITS = { live: 1_048_576, replay: 65_536 };

/** A connection to one address of a worker. It carries many streams of this gateway. */
export class WorkerConnection {
  /** Time of the last `alive` frame, which concerns all streams. */
  aliveAtMs = -Infinity;
  readonly #options: WorkerConnectionOptions;
  readonly #request: ClientRequest;
  readonly #streams = new Map<number, ConnectionStream>();
  readonly #turns = new Turns();
  #frames: FrameSocket | undefined;
  /** Set while the socket is lost and a resume is being tried. */
  #resume: ConnectionResume | undefined;
  #lastId = 0;
  #closed = false;

  constructor(options: WorkerConnectionOptions) {
    this.#options = options;
    this.#request = requestUpgrade({
      address: options.address,
      tls: options.tls,
      timeoutMs: options.openTimeoutMs,
      headers: { [RESUME_HEADERS.offer]: '1' },
      onUpgrade: (socket, head, headers) => this.#start(socket, head, readResumeTerms(headers)),
      onRefused: (status) => {
        this.#close(({ events }) => events.onLost(`the worker refused the connection with status ${status}`));
      },
      onError: ({ message, isWrongWorker }) => {
        this.#close(({ events }) => (isWrongWorker ? events.onWrongWorker(message) : events.onLost(message)));
      },
    });
  }

  /** Number of open streams. */
  get size(): number {
    return this.#streams.size;
  }

  /** True if the connection can take another stream. */
  get hasRoom(): boolean {
    return !this.#closed && this.size < RELAY_LIMITS.maxStreams && this.#lastId < MAX_STREAM_ID;
  }

  /** Opens a stream. Its messages are sent as soon as the connection is open. */
  open(request: ChannelRequest, events: ChannelEvents): WorkerChannel {
    const stream = new ConnectionStream(++this.#lastId, request, events, this);
    this.#streams.set(stream.id, stream);
    if (this.#frames !== undefined) stream.sendOpen(this.#frames);
    return stream;
  }

  /** Schedules a turn in which the stream may send. */
  schedule(stream: ConnectionStream): void {
    this.#turns.add(stream);
    if (!this.#turns.isEmpty) this.#frames?.requestFlush();
  }

  /** Removes a stream. Call when the stream has ended for this gateway. */
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

  #start(socket: Duplex, head: Buffer, terms: ResumeTerms | undefined): void {
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
      ...(terms !== undefined && {
        onLost: (reason: string) => {
          this.#resume = this.#startResume(frames, terms, reason);
          return true;
        },
      }),
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
    // The gateway may have closed the stream while this frame was in transit.
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

  #startResume(frames: FrameSocket, terms: ResumeTerms, lossReason: string): ConnectionResume {
    const { address, tls, onLossSettled } = this.#options;
    return new ConnectionResume({
      address,
      tls,
      terms,
      receivedBytes: () => frames.receivedBytes,
      onResumed: (socket, head, received) => {
        onLossSettled(frames.canResume(received) ? 'resumed' : 'refused');
        frames.resume(socket, head, received);
      },
      onFailed: (outcome, reason) => {
        onLossSettled(outcome);
        frames.destroy(`${lossReason}; not resumed: ${reason}`);
      },
    });
  }

  #close(notify: (stream: ConnectionStream) => void): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#resume?.stop();
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    this.#options.onClosed();
    for (const stream of streams) notify(stream);
  }
}
