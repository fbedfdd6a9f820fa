import { parseRelayRequest, RELAY_CLOSE, RELAY_LIMITS } from '@svc-asr/core';
import type { RelayAnswer, RelayErrorCode, RelayRequest } from '@svc-asr/core';
import type { RawData, WebSocket } from 'ws';
import type { Engine } from '../engine/engine.ts';
import { EngineError } from '../engine/error.ts';
import type { EngineStream } from '../engine/stream.ts';
import { deltaAnswer, finalAnswer } from './answers.ts';
import type { StreamTrace } from '../telemetry/stream-trace.ts';
import { beat, isLost } from './heartbeat.ts';
import type { Heartbeat } from './heartbeat.ts';

export interface ConnectionLimits {
  readonly openTimeoutMs: number;
  readonly slotWaitMs: number;
  readonly unsentBytes: number;
}

export interface ConnectionParts {
  readonly socket: WebSocket;
  readonly engine: Engine;
  readonly limits: ConnectionLimits;
  /** Returns false while the worker accepts no new streams. */
  readonly accepting: () => boolean;
  readonly onAudio: (samples: number) => void;
  /** Starts the trace of a stream. Returns undefined if the gateway does not trace it. */
  readonly trace: (traceparent: string | undefined) => StreamTrace | undefined;
  /** Called once when the connection ends, with `done` or the code of the error. */
  readonly onEnd: (code: EndCode) => void;
}

export type EndCode = RelayErrorCode | 'done' | 'slow_reader' | 'lost';

/** Maximum number of flushes and resets in the engine. The socket is not read while there are more. */
const MAX_MARKS = 32;
const SLOT_POLL_MS = 20;
/** Close codes of a gateway that has finished: done, going away, or no code. */
const NORMAL = new Set<number>([RELAY_CLOSE.done, 1001, 1005]);

/**
 * The connection of one gateway stream. It connects the protocol of relay.ts in `@svc-asr/core` to a stream of the
 * engine.
 */
export class Connection {
  readonly #parts: ConnectionParts;
  readonly #openTimer: NodeJS.Timeout;
  #state: 'new' | 'opening' | 'open' | 'over' = 'new';
  #stream: EngineStream | undefined;
  /** Messages received while `open` waits for a slot. */
  #held: [data: RawData, isBinary: boolean][] = [];
  #marks = 0;
  #full = false;
  /** First sample of the utterance that the engine is decoding, counted from the start of the stream. */
  #start = 0;
  #received = true;
  #heartbeat: Heartbeat = { missed: 0 };
  #trace: StreamTrace | undefined;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    const { socket, limits } = parts;
    this.#openTimer = setTimeout(
      () => this.fail('open_timeout', 'the open message did not arrive in time'),
      limits.openTimeoutMs,
    );
    socket.on('message', (data, isBinary) => {
      this.#received = true;
      this.#receive(data, isBinary);
    });
    socket.on('pong', () => (this.#received = true));
    socket.on('close', (code) => this.#end(NORMAL.has(code) ? 'done' : 'lost'));
    // A `close` event always follows.
    socket.on('error', () => undefined);
  }

  /** Asks the gateway to move its stream to another worker. A connection without a stream is refused. */
  move(): void {
    if (this.#state === 'open') this.#send({ type: 'move' });
    else this.fail('draining', 'the worker accepts no new streams', RELAY_CLOSE.noSlot);
  }

  /** Notifies a gateway with pending audio or marks that inference makes progress. */
  alive(): void {
    const { buffered = 0 } = this.#stream ?? {};
    if (this.#state === 'open' && (buffered > 0 || this.#marks > 0)) this.#send({ type: 'alive' });
  }

  /** Cuts the connection if the peer has not answered its pings, and sends the next ping otherwise. */
  ping(): void {
    const { socket } = this.#parts;
    this.#heartbeat = beat(this.#heartbeat, { received: this.#received, reading: !socket.isPaused });
    this.#received = false;
    if (isLost(this.#heartbeat)) this.#cut('lost');
    else if (socket.readyState === socket.OPEN) socket.ping();
  }

  /** Ends the connection with an error. */
  fail(code: RelayErrorCode, message: string, closeCode: number = RELAY_CLOSE.failed): void {
    if (this.#state === 'over') return;
    this.#send({ type: 'error', code, message });
    const { socket } = this.#parts;
    this.#end(code);
    // Messages that the gateway has already sent must be read before its answer to the close can arrive.
    if (socket.isPaused) socket.resume();
    socket.close(closeCode, code);
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.#state === 'over') return;
    if (this.#state === 'opening') this.#held.push([data, isBinary]);
    else if (isBinary) this.#audio(bytesOf(data));
    else this.#message(bytesOf(data));
  }

  #audio(bytes: Uint8Array): void {
    if (this.#stream === undefined) {
      this.fail('invalid_message', 'audio arrived before the open message');
      return;
    }
    if (bytes.length % 2 !== 0) {
      this.fail('invalid_audio', `a frame of ${bytes.length} bytes does not hold whole samples`);
      return;
    }
    this.#parts.onAudio(bytes.length / 2);
    this.#trace?.audioReceived();
    this.#engine((stream) => {
      if (!stream.write(bytes)) this.#full = true;
    });
    this.#flow();
  }

  #message(bytes: Uint8Array): void {
    const parsed =
      bytes.length > RELAY_LIMITS.maxMessageBytes
        ? ({ ok: false, reason: `more than ${RELAY_LIMITS.maxMessageBytes} bytes` } as const)
        : parseRelayRequest(Buffer.from(bytes).toString());
    if (!parsed.ok) this.fail('invalid_message', parsed.reason);
    else this.#request(parsed.message);
  }

  #request(message: RelayRequest): void {
    if ((message.type === 'open') !== (this.#state === 'new')) {
      this.fail(
        'invalid_message',
        message.type === 'open' ? 'the stream is already open' : 'the first message must be open',
      );
      return;
    }
    if (message.type === 'open') {
      void this.#open(message);
      return;
    }
    this.#marks++;
    this.#trace?.marked();
    this.#engine((stream) => {
      if (message.type === 'flush') stream.flush();
      else stream.reset();
    });
    this.#flow();
  }

  async #open({ context, ...message }: Extract<RelayRequest, { type: 'open' }>): Promise<void> {
    const { realtime_from: realtimeFrom = 0 } = message;
    clearTimeout(this.#openTimer);
    this.#trace = this.#parts.trace(message.traceparent);
    this.#state = 'opening';
    this.#flow();
    const deadline = performance.now() + this.#parts.limits.slotWaitMs;
    // The inference thread frees a slot a moment after the ledger has assigned it to the next stream.
    while (!this.#tryOpen(context, realtimeFrom, performance.now() >= deadline)) {
      await new Promise((resolve) => setTimeout(resolve, SLOT_POLL_MS));
    }
  }

  /** Tries to open the stream. Returns true if it was opened or refused, and false if the caller should retry. */
  #tryOpen(context: [number, number], realtimeFrom: number, isLast: boolean): boolean {
    if (this.#state !== 'opening') return true;
    if (!this.#parts.accepting()) {
      this.fail('draining', 'the worker accepts no new streams', RELAY_CLOSE.noSlot);
      return true;
    }
    try {
      this.#opened(this.#parts.engine.open({ context, realtimeFrom }));
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (error.code === 'no_slot' && !isLast) return false;
      this.fail(error.code, error.message, error.code === 'no_slot' ? RELAY_CLOSE.noSlot : RELAY_CLOSE.failed);
    }
    return true;
  }

  #opened(stream: EngineStream): void {
    this.#stream = stream;
    this.#state = 'open';
    const { contexts } = this.#parts.engine.info;
    const [left, right] = stream.context;
    const chunk = contexts.find(({ context }) => context[0] === left && context[1] === right)?.chunkSamples ?? 1;
    stream.on('delta', (delta) => this.#send(deltaAnswer(delta)));
    stream.on('final', (final) => {
      this.#send(finalAnswer(final));
      this.#trace?.answered(final);
      this.#next(final.endSample);
    });
    stream.on('reset', (at) => {
      this.#send({ type: 'reset_done' });
      this.#trace?.dropped();
      this.#next(at);
    });
    stream.on('consumed', (samples) => {
      if (samples > this.#start) this.#send({ type: 'consumed', samples: samples - this.#start });
    });
    stream.on('drain', () => {
      this.#full = false;
      this.#flow();
    });
    stream.on('error', ({ code, message }) => this.fail(code, message));
    this.#send({ type: 'opened', chunk_samples: chunk, context: [left, right] });
    this.#trace?.opened();
    const held = this.#held;
    this.#held = [];
    for (const [data, isBinary] of held) this.#receive(data, isBinary);
    this.#flow();
  }

  /** Called when an utterance has ended and the next one starts at this sample. */
  #next(start: number): void {
    this.#marks--;
    this.#start = start;
    this.#flow();
  }

  /** Stops reading the socket while the engine has enough audio, so that TCP slows the gateway down. */
  #flow(): void {
    const { socket } = this.#parts;
    if (this.#state === 'over') return;
    const stop = this.#state === 'opening' || this.#full || this.#marks >= MAX_MARKS;
    if (stop && !socket.isPaused) socket.pause();
    if (!stop && socket.isPaused) socket.resume();
  }

  /** Calls the stream, if there is one. An EngineError ends the connection. */
  #engine(act: (stream: EngineStream) => void): void {
    if (this.#stream === undefined) return;
    try {
      act(this.#stream);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.fail(error.code, error.message);
    }
  }

  #send(answer: RelayAnswer): void {
    const { socket, limits } = this.#parts;
    if (this.#state === 'over' || socket.readyState !== socket.OPEN) return;
    socket.send(JSON.stringify(answer));
    if (socket.bufferedAmount > limits.unsentBytes) this.#cut('slow_reader');
  }

  #cut(code: EndCode): void {
    this.#end(code);
    this.#parts.socket.terminate();
  }

  #end(code: EndCode): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    clearTimeout(this.#openTimer);
    this.#held = [];
    this.#stream?.close();
    this.#trace?.end(code);
    this.#parts.onEnd(code);
  }
}

/** Returns the bytes of a message, which is one Buffer by default. */
function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
