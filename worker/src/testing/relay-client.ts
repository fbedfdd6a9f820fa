import { EventEmitter, once } from 'node:events';
import type { Duplex } from 'node:stream';
import { FRAME, parseRelayAnswer, RELAY_LIMITS, RESUME_HEADERS } from '@svc-asr/core';
import type { Frame, RelayAnswer, RelayRequest } from '@svc-asr/core';
import { FrameSocket, payloadText } from '@svc-asr/runtime';
import { upgrade } from '../io/upgrade.ts';

type AnswerOf<T extends RelayAnswer['type']> = Extract<RelayAnswer, { type: T }>;

/** The gateway's side of a connection. */
export class RelayConnection {
  readonly frames: FrameSocket;
  /** Resolves with the reason when the connection has closed. */
  readonly closed: Promise<string>;
  /** Number of `alive` frames that were received. */
  aliveFrames = 0;
  readonly #streams = new Map<number, RelayClient>();
  #lastId = 0;
  readonly #token: string | undefined;
  #socket: Duplex;

  private constructor(socket: Duplex, head: Buffer, token?: string) {
    this.#token = token;
    this.#socket = socket;
    let onClose: (reason: string) => void = () => undefined;
    this.closed = new Promise((resolve) => (onClose = resolve));
    this.frames = new FrameSocket(socket, head, {
      onFrame: (frame) => this.#receive(frame),
      onClose,
      ...(token !== undefined && { onLost: () => true }),
    });
    void this.closed.then(() => {
      for (const stream of this.#streams.values()) stream.lose();
    });
  }

  static async connect(address: string, ca?: string): Promise<RelayConnection> {
    const { socket, head } = await upgrade(address, { ca });
    return new RelayConnection(socket, head);
  }

  /** Opens a connection that can be resumed. */
  static async connectResumable(address: string): Promise<RelayConnection> {
    const { socket, head, headers } = await upgrade(address, { headers: { [RESUME_HEADERS.offer]: '1' } });
    return new RelayConnection(socket, head, String(headers[RESUME_HEADERS.token]));
  }

  /** Destroys the socket, but does not close the connection. So the connection can be resumed. */
  lose(): void {
    this.#socket.destroy();
  }

  /**
   * Resumes the connection on a new socket. If the worker refuses this, rejects with an error that contains the HTTP
   * status.
   */
  async resume(address: string, token = this.#token ?? ''): Promise<void> {
    const received = String(this.frames.receivedBytes);
    const headers = { [RESUME_HEADERS.token]: token, [RESUME_HEADERS.received]: received };
    const answer = await upgrade(address, { headers });
    this.#socket = answer.socket;
    this.frames.resume(answer.socket, answer.head, Number(answer.headers[RESUME_HEADERS.received]));
  }

  /** Creates a stream with the next id. */
  stream(ticket?: string): RelayClient {
    const stream = new RelayClient(this, ++this.#lastId, ticket);
    this.#streams.set(stream.id, stream);
    return stream;
  }

  #receive(frame: Frame): void {
    if (frame.type === FRAME.alive) this.aliveFrames++;
    else this.#streams.get(frame.stream)?.receive(frame);
  }
}

/** The gateway's side of a stream. */
export class RelayClient {
  readonly id: number;
  readonly connection: RelayConnection;
  /** All answers that were received, in order. The samples in `consumed` count from the start of the stream. */
  readonly answers: RelayAnswer[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #ticket: string | undefined;
  readonly #received = new EventEmitter();
  readonly #queue: (Int16Array | object)[] = [];
  #sent = 0;
  /** Number of flushes and resets that were sent. */
  #marks = 0;
  /** Position up to which the worker accepts audio. */
  #until = 0;
  #taken = 0;
  #onClosed: (close: { code: number; reason: string }) => void = () => undefined;

  constructor(connection: RelayConnection, id: number, ticket: string | undefined) {
    this.connection = connection;
    this.id = id;
    this.#ticket = ticket;
    this.closed = new Promise((resolve) => (this.#onClosed = resolve));
  }

  /** Creates a stream on a new connection. Does not open the stream. */
  static async connect(address: string, ticket?: string, ca?: string): Promise<RelayClient> {
    return (await RelayConnection.connect(address, ca)).stream(ticket);
  }

  /**
   * Sends an `open` message immediately, with the ticket. Sends any other message after all audio that was queued
   * before the message.
   */
  send(message: RelayRequest | Record<string, unknown>): void {
    if (message.type === 'open') this.connection.frames.sendMessage(this.id, { ticket: this.#ticket, ...message });
    else {
      this.#queue.push(message);
      this.#pump();
    }
  }

  /** Sends audio in frames of at most `frame` samples, as fast as the worker accepts it. */
  audio(samples: Int16Array, frame = 3200): void {
    for (let at = 0; at < samples.length; at += frame) this.#queue.push(samples.slice(at, at + frame));
    this.#pump();
  }

  /** Sends a payload immediately, even if the worker does not accept more audio yet. */
  sendRaw(type: 'audio' | 'message', payload: string | Uint8Array, position = this.#sent): void {
    this.connection.frames.send(FRAME[type], this.id, position, Buffer.from(payload));
  }

  /** Ends the stream. */
  close(): void {
    this.connection.frames.send(FRAME.close, this.id);
  }

  /** Closes the connection without a frame that closes the stream. */
  cut(): void {
    this.connection.frames.destroy();
  }

  /**
   * Returns the next answer of this type that was not returned before. Throws if the stream closes before such an
   * answer arrives.
   */
  async next<T extends RelayAnswer['type']>(type: T): Promise<AnswerOf<T>> {
    for (;;) {
      for (; this.#taken < this.answers.length; this.#taken++) {
        const answer = this.answers[this.#taken];
        if (answer?.type !== type) continue;
        this.#taken++;
        return answer as AnswerOf<T>;
      }
      const over = await Promise.race([this.closed, once(this.#received, 'answer').then(() => undefined)]);
      if (over !== undefined && this.#taken >= this.answers.length) {
        throw new Error(`no ${type} arrived before the close ${over.code} ${over.reason}`);
      }
    }
  }

  of<T extends RelayAnswer['type']>(type: T): AnswerOf<T>[] {
    return this.answers.filter((answer): answer is AnswerOf<T> => answer.type === type);
  }

  /** Call with each frame of the stream. */
  receive(frame: Frame): void {
    if (frame.type === FRAME.closed) {
      this.#onClosed({ code: frame.position, reason: payloadText(frame) });
      return;
    }
    const answer = readAnswer(frame);
    if (answer.type === 'opened') this.#until = answer.buffer_samples;
    const [opened] = this.of('opened');
    if (answer.type === 'consumed') this.#until = answer.samples + (opened?.buffer_samples ?? 0);
    this.answers.push(answer);
    this.#received.emit('answer');
    this.#pump();
  }

  /** Call when the connection has closed. */
  lose(): void {
    this.#onClosed({ code: 1006, reason: '' });
  }

  #pump(): void {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      if (!(next instanceof Int16Array)) {
        if (this.#marks - this.of('final').length - this.of('reset_done').length >= RELAY_LIMITS.maxMarks) return;
        this.#marks++;
        this.connection.frames.sendMessage(this.id, next, this.#sent);
      } else if (this.#sent + next.length > this.#until) return;
      else {
        this.sendRaw('audio', new Uint8Array(next.buffer, next.byteOffset, next.byteLength));
        this.#sent += next.length;
      }
      this.#queue.shift();
    }
  }
}

function readAnswer(frame: Frame): RelayAnswer {
  if (frame.type === FRAME.delta) return { type: 'delta', text: payloadText(frame), audio_end: frame.position };
  if (frame.type === FRAME.consumed) return { type: 'consumed', samples: frame.position };
  const parsed = parseRelayAnswer(payloadText(frame));
  if (!parsed.ok) throw new Error(`the worker violated the protocol: ${parsed.reason}`);
  return parsed.message;
}
