import type { Duplex } from 'node:stream';
import {
  CLOSE_REOPENS,
  CONNECTION_ID,
  FRAME,
  FrameError,
  parseRelayRequest,
  RELAY_CLOSE,
  RELAY_LIMITS,
} from '@svc-asr/core';
import type { Frame, ParsedRelay, RelayRequest } from '@svc-asr/core';
import { FrameSocket, payloadText } from '@svc-asr/runtime';
import { beat, isLost } from './heartbeat.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { RelayStream, StreamChannel } from './relay-stream.ts';

export interface ConnectionLimits {
  /** Time limit for the gateway to open its first stream with a valid ticket. */
  readonly openTimeoutMs: number;
  /**
   * Number of unsent bytes above which a connection is closed. Connections with many streams have a higher limit
   * (UNSENT_BYTES_PER_STREAM).
   */
  readonly unsentBytes: number;
}

export interface GatewayConnectionParts {
  readonly socket: Duplex;
  readonly head: Uint8Array;
  readonly limits: ConnectionLimits;
  /**
   * Time in which the gateway can resume the connection after the socket was lost. 0 if the connection cannot be
   * resumed.
   */
  readonly resumeMs: number;
  /** Creates the stream of an `open` message. If the ticket is invalid, refuses the stream and returns undefined. */
  readonly admit: (ticket: string | undefined, channel: StreamChannel, onEnd: () => void) => RelayStream | undefined;
  /** Called when the socket was lost and the gateway can still resume the connection. */
  readonly onLost: (reason: string) => void;
  /** Called once when the connection has closed, with the reason. */
  readonly onClose: (reason: string) => void;
}

/**
 * Number of unsent bytes per open stream that is always allowed. One batch can produce answers for all streams of a
 * connection at the same time.
 */
const UNSENT_BYTES_PER_STREAM = 16_384;

/** The connection of a gateway, through which all its streams run. */
export class GatewayConnection {
  readonly #parts: GatewayConnectionParts;
  readonly #frames: FrameSocket;
  readonly #streams = new Map<number, RelayStream>();
  readonly #openTimer: NodeJS.Timeout;
  /** Highest stream id so far. */
  #lastId = 0;
  #heartbeat: Heartbeat = { missed: 0 };
  /** True if a stream with a valid ticket was opened on this connection. */
  #trusted = false;
  #resumeTimer: NodeJS.Timeout | undefined;

  constructor(parts: GatewayConnectionParts) {
    this.#parts = parts;
    this.#openTimer = setTimeout(() => this.#frames.fail('no stream was opened in time'), parts.limits.openTimeoutMs);
    this.#frames = new FrameSocket(parts.socket, parts.head, {
      onFrame: (frame) => this.#receive(frame),
      onClose: (reason) => this.#close(reason),
      ...(parts.resumeMs > 0 && { onLost: (reason: string) => this.#suspend(reason) }),
    });
  }

  /** State of the connection, for logs. */
  get description(): string {
    const { isSuspended, unsentBytes } = this.#frames;
    return isSuspended ? 'a lost connection that may be resumed' : `a connection with ${unsentBytes} unsent bytes`;
  }

  /** Reports to the gateway that inference makes progress. Does nothing if the connection has no streams. */
  alive(): void {
    if (this.#streams.size > 0 && !this.#frames.isSuspended) this.#frames.send(FRAME.alive, CONNECTION_ID);
  }

  /** Closes the connection if the gateway has not answered several pings. Otherwise sends the next ping. */
  ping(): void {
    if (this.#frames.isSuspended) return;
    this.#heartbeat = beat(this.#heartbeat, { received: this.#frames.takeReceived(), reading: true });
    if (isLost(this.#heartbeat)) this.#frames.destroy('the gateway does not answer pings');
    else this.#frames.ping();
  }

  /**
   * Continues the connection on another socket. `received` is the number of bytes that the gateway has received on this
   * connection. `accept` sends the response with the number of bytes that the worker has received. The worker keeps
   * recent answers. If the gateway lacks an answer that the worker no longer keeps, this method ends the streams and
   * returns false.
   */
  resume(socket: Duplex, head: Uint8Array, received: number, accept: (receivedBytes: number) => void): boolean {
    if (!this.#frames.canResume(received)) {
      this.#frames.destroy('answers that the gateway needs are no longer kept');
      return false;
    }
    clearTimeout(this.#resumeTimer);
    accept(this.#frames.receivedBytes);
    this.#frames.resume(socket, head, received);
    return true;
  }

  /** Resolves when all answers are sent. */
  async flushed(): Promise<void> {
    await this.#frames.flushed();
  }

  /** Closes the connection when all answers are sent. */
  end(): void {
    this.#frames.end();
  }

  #receive({ stream: id, type, position, payload }: Frame): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) {
      // An unknown id that is not new belongs to a stream that has ended. Its gateway sent this frame before it
      // received the end.
      if (id > this.#lastId) this.#open(id, type, payload);
      return;
    }
    if (type === FRAME.close) {
      stream.end(position === CLOSE_REOPENS ? 'reopened' : 'done');
      this.#frames.send(FRAME.closed, id, RELAY_CLOSE.done);
      return;
    }
    if (type !== FRAME.audio && type !== FRAME.message) {
      throw new FrameError(`a gateway has sent a frame of type ${type}`);
    }
    if (position !== stream.acceptedSamples) {
      stream.fail('invalid_message', `a frame at sample ${position} does not follow sample ${stream.acceptedSamples}`);
    } else if (type === FRAME.audio) stream.receiveAudio(payload);
    else {
      const parsed = parseRequest(payload);
      if (parsed.ok) stream.receive(parsed.message);
      else stream.fail('invalid_message', parsed.reason);
    }
  }

  /** Opens a stream with an id that was not used before. */
  #open(id: number, type: Frame['type'], payload: Uint8Array): void {
    const parsed = type === FRAME.message ? parseRequest(payload) : undefined;
    if (parsed?.ok !== true || parsed.message.type !== 'open') {
      const reason = parsed?.ok === false ? parsed.reason : 'it must be open';
      throw new FrameError(`the first frame of stream ${id} is invalid: ${reason}`);
    }
    this.#lastId = id;
    const channel = this.#createChannel(id);
    if (this.#streams.size >= RELAY_LIMITS.maxStreams) {
      const message = `the connection already has ${RELAY_LIMITS.maxStreams} streams`;
      channel.send({ type: 'error', code: 'no_slot', message });
      channel.close(RELAY_CLOSE.noSlot, 'no_slot');
      return;
    }
    const stream = this.#parts.admit(parsed.message.ticket, channel, () => this.#streams.delete(id));
    if (stream === undefined) return;
    clearTimeout(this.#openTimer);
    this.#trusted = true;
    this.#streams.set(id, stream);
    void stream.open(parsed.message);
  }

  #createChannel(id: number): StreamChannel {
    const frames = this.#frames;
    return {
      send: (answer) => {
        // A delta with a start of speech is sent as a message, because a delta frame has no field for it. Only streams
        // with endpointing have such deltas.
        const isPlainDelta = answer.type === 'delta' && answer.speech_start === undefined;
        if (isPlainDelta) frames.send(FRAME.delta, id, answer.audio_end, Buffer.from(answer.text));
        else frames.sendMessage(id, answer);
        this.#checkUnsent();
      },
      sendConsumed: (samples) => frames.send(FRAME.consumed, id, samples),
      close: (closeCode, reason) => frames.send(FRAME.closed, id, closeCode, Buffer.from(reason)),
    };
  }

  #checkUnsent(): void {
    const { unsentBytes } = this.#parts.limits;
    const limit = Math.max(unsentBytes, UNSENT_BYTES_PER_STREAM * this.#streams.size);
    if (this.#frames.unsentBytes > limit) this.#frames.destroy('slow_reader');
  }

  /**
   * Keeps the streams open, so that the gateway can resume the connection. Returns false if the gateway has not
   * presented a valid ticket on this connection.
   */
  #suspend(reason: string): boolean {
    if (!this.#trusted) return false;
    const { resumeMs } = this.#parts;
    const expire = () => this.#frames.destroy(`${reason}; the gateway did not resume it within ${resumeMs} ms`);
    this.#resumeTimer = setTimeout(expire, resumeMs);
    this.#parts.onLost(reason);
    return true;
  }

  #close(reason: string): void {
    clearTimeout(this.#openTimer);
    clearTimeout(this.#resumeTimer);
    const code = reason === 'slow_reader' ? reason : 'lost';
    for (const stream of [...this.#streams.values()]) stream.end(code);
    this.#parts.onClose(reason);
  }
}

function parseRequest(payload: Uint8Array): ParsedRelay<RelayRequest> {
  if (payload.length > RELAY_LIMITS.maxMessageBytes) {
    return { ok: false, reason: `more than ${RELAY_LIMITS.maxMessageBytes} bytes` };
  }
  return parseRelayRequest(payloadText({ payload }));
}
