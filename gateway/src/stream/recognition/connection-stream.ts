import { CLOSE_REOPENS, FRAME } from '@svc-asr/core';
import type { RelayAnswer } from '@svc-asr/core';
import type { FrameSocket } from '@svc-asr/runtime';
import { OutgoingStream } from './outgoing-stream.ts';
import type { Mark, OutgoingFrame } from './outgoing-stream.ts';
import type { Sender } from './turns.ts';
import type { ChannelEvents, ChannelRequest, WorkerChannel } from './worker-channel.ts';

/** Functions of the connection that its streams use. */
export interface StreamConnection {
  readonly aliveAtMs: number;
  schedule: (stream: ConnectionStream) => void;
  remove: (stream: ConnectionStream) => void;
}

/** One stream on a connection to a worker. */
export class ConnectionStream implements WorkerChannel, Sender {
  readonly id: number;
  readonly events: ChannelEvents;
  readonly outgoing: OutgoingStream;
  readonly #request: ChannelRequest;
  readonly #connection: StreamConnection;
  /** Undefined until the connection is open. */
  #frames: FrameSocket | undefined;
  #over = false;

  constructor(id: number, request: ChannelRequest, events: ChannelEvents, connection: StreamConnection) {
    this.id = id;
    this.events = events;
    this.outgoing = new OutgoingStream(request.replayedSamples);
    this.#request = request;
    this.#connection = connection;
  }

  get aliveAtMs(): number {
    return this.#connection.aliveAtMs;
  }

  /** Sends the `open` message. */
  sendOpen(frames: FrameSocket): void {
    this.#frames = frames;
    const { context, endpointing, phrases, traceparent, replayedSamples, ticket } = this.#request;
    frames.sendMessage(this.id, {
      type: 'open',
      context,
      endpointing: endpointing && { silence_ms: endpointing.silenceMs, not_before: endpointing.notBefore },
      phrases,
      realtime_from: replayedSamples,
      traceparent,
      ticket,
    });
  }

  audio(pcm: Buffer): void {
    this.outgoing.addAudio(pcm);
    this.#connection.schedule(this);
  }

  mark(mark: Mark): void {
    this.outgoing.addMark(mark);
    this.#connection.schedule(this);
  }

  sendFrame(frame: OutgoingFrame): void {
    if (frame.kind === 'audio') this.#frames?.send(FRAME.audio, this.id, frame.position, frame.pcm);
    else this.#frames?.sendMessage(this.id, { type: frame.kind }, frame.position);
  }

  close(reopens = false): void {
    if (this.#over) return;
    this.#over = true;
    this.#frames?.send(FRAME.close, this.id, reopens ? CLOSE_REOPENS : 0);
    this.#connection.remove(this);
  }

  /** Called with an answer of the worker. */
  receive(answer: RelayAnswer): void {
    if (answer.type === 'opened') this.outgoing.open(answer.buffer_samples);
    if (answer.type === 'final' && answer.endpoint === true) this.outgoing.cut(answer.audio_end);
    else if (answer.type === 'final' || answer.type === 'reset_done') {
      this.outgoing.endUtterance();
      this.#connection.schedule(this);
    }
    this.events.onAnswer(answer);
  }

  /** Called when the worker no longer needs samples before this position. */
  receiveConsumed(position: number): void {
    const answer = this.outgoing.consume(position);
    this.#connection.schedule(this);
    if (answer !== undefined) this.events.onAnswer(answer);
  }

  /** Closes the stream because the worker has closed it or sent an invalid message, and calls `onLost`. */
  lose(reason: string): void {
    if (this.#over) return;
    this.close();
    this.events.onLost(reason);
  }
}
