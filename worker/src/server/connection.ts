import { parseRelayRequest, RELAY_CLOSE, RELAY_LIMITS } from '@svc-asr/core';
import type { RelayAnswer, RelayErrorCode, RelayRequest } from '@svc-asr/core';
import type { RawData, WebSocket } from 'ws';
import type { Engine } from '../engine/engine.ts';
import { EngineError } from '../engine/error.ts';
import type { EngineStream } from '../engine/stream.ts';
import { deltaAnswer, finalAnswer } from './answers.ts';
import type { StreamTrace } from '../telemetry/stream-trace.ts';
import { beat, isGone } from './heartbeat.ts';
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
  /** False while the worker takes no new streams. */
  readonly accepting: () => boolean;
  readonly onAudio: (samples: number) => void;
  /** Begins the trace of a stream, where it has one. */
  readonly trace: (traceparent: string | undefined) => StreamTrace | undefined;
  /** Called once, with the code of the reason: `done` or an error. */
  readonly onEnd: (code: EndCode) => void;
}

export type EndCode = RelayErrorCode | 'done' | 'slow_reader' | 'lost';

/** Flushes and resets that may be on their way to the engine; a gateway with more waits. */
const MAX_MARKS = 32;
const SLOT_POLL_MS = 20;
/** How a gateway that is done closes: done, going away, or without a code. */
const NORMAL = new Set<number>([RELAY_CLOSE.done, 1001, 1005]);

/** One gateway's connection: the protocol of `@svc-asr/core` relay.ts on one side, a stream of the engine on the other. */
export class Connection {
  readonly #parts: ConnectionParts;
  readonly #openTimer: NodeJS.Timeout;
  #state: 'new' | 'opening' | 'open' | 'over' = 'new';
  #stream: EngineStream | undefined;
  /** What came in one piece with `open` while it waits for a slot. */
  #held: [data: RawData, isBinary: boolean][] = [];
  #marks = 0;
  #full = false;
  /** First sample of the utterance that the engine is at, from the stream's start. */
  #start = 0;
  #heard = true;
  #heartbeat: Heartbeat = { missed: 0 };
  #trace: StreamTrace | undefined;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    const { socket, limits } = parts;
    this.#openTimer = setTimeout(() => this.fail('open_timeout', 'no open came in time'), limits.openTimeoutMs);
    socket.on('message', (data, isBinary) => {
      this.#heard = true;
      this.#receive(data, isBinary);
    });
    socket.on('pong', () => (this.#heard = true));
    socket.on('close', (code) => this.#end(NORMAL.has(code) ? 'done' : 'lost'));
    // A `close` always follows.
    socket.on('error', () => undefined);
  }

  /** Tells the gateway to take the stream elsewhere; one that has no stream yet is refused. */
  move(): void {
    if (this.#state === 'open') this.#send({ type: 'move' });
    else this.fail('draining', 'the worker takes no new streams', RELAY_CLOSE.noSlot);
  }

  /** Tells a gateway that waits for something that inference goes on. */
  alive(): void {
    const { buffered = 0 } = this.#stream ?? {};
    if (this.#state === 'open' && (buffered > 0 || this.#marks > 0)) this.#send({ type: 'alive' });
  }

  /** Cuts a peer that is gone without a word, and pings the others. */
  ping(): void {
    const { socket } = this.#parts;
    this.#heartbeat = beat(this.#heartbeat, { heard: this.#heard, reading: !socket.isPaused });
    this.#heard = false;
    if (isGone(this.#heartbeat)) this.#cut('lost');
    else if (socket.readyState === socket.OPEN) socket.ping();
  }

  /** Ends the connection with an error. */
  fail(code: RelayErrorCode, message: string, closeCode: number = RELAY_CLOSE.failed): void {
    if (this.#state === 'over') return;
    this.#send({ type: 'error', code, message });
    const { socket } = this.#parts;
    this.#end(code);
    // What the gateway sent meanwhile must be read for its answer to the close to arrive.
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
      this.fail('invalid_message', 'audio came before open');
      return;
    }
    if (bytes.length % 2 !== 0) {
      this.fail('invalid_audio', `a frame of ${bytes.length} bytes does not hold whole samples`);
      return;
    }
    this.#parts.onAudio(bytes.length / 2);
    this.#trace?.heard();
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
      this.fail('invalid_message', message.type === 'open' ? 'the stream is open already' : 'open must come first');
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
    // A slot is free only when the inference thread has let go of it, a moment after the ledger has given it away.
    while (!this.#tryOpen(context, realtimeFrom, performance.now() >= deadline)) {
      await new Promise((resolve) => setTimeout(resolve, SLOT_POLL_MS));
    }
  }

  /** True when the matter is settled, one way or the other. */
  #tryOpen(context: [number, number], realtimeFrom: number, isLast: boolean): boolean {
    if (this.#state !== 'opening') return true;
    if (!this.#parts.accepting()) {
      this.fail('draining', 'the worker takes no new streams', RELAY_CLOSE.noSlot);
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

  /** An utterance is over and the next one starts at this sample. */
  #next(start: number): void {
    this.#marks--;
    this.#start = start;
    this.#flow();
  }

  /** Stops reading while the engine has enough, so that TCP slows the gateway down. */
  #flow(): void {
    const { socket } = this.#parts;
    if (this.#state === 'over') return;
    const stop = this.#state === 'opening' || this.#full || this.#marks >= MAX_MARKS;
    if (stop && !socket.isPaused) socket.pause();
    if (!stop && socket.isPaused) socket.resume();
  }

  /** Does something with the stream; what the engine refuses ends the connection. */
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

/** Messages come as one Buffer unless a WebSocket is told otherwise. */
function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
