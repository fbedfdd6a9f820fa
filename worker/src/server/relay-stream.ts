import { RELAY_CLOSE, RELAY_LIMITS, TOO_MANY_STREAMS } from '@svc-asr/core';
import type { RelayAnswer, RelayErrorCode, RelayRequest } from '@svc-asr/core';
import type { EngineClient, OpenOptions } from '../engine/client.ts';
import { EngineError } from '../engine/error.ts';
import { BUFFER_SAMPLES } from '../engine/shared.ts';
import type { EngineStream } from '../engine/stream.ts';
import type { StreamTrace } from '../telemetry/stream-trace.ts';
import { deltaAnswer, finalAnswer } from './answers.ts';

/** Sends the answers of a stream to its gateway. */
export interface StreamChannel {
  send: (answer: Exclude<RelayAnswer, { type: 'consumed' }>) => void;
  /**
   * Reports that the engine no longer needs the samples before position `samples`, counted from the start of the
   * stream.
   */
  sendConsumed: (samples: number) => void;
  /** Call when the stream has failed and its `error` message was sent. */
  close: (closeCode: number, reason: string) => void;
}

export interface StreamParts {
  readonly channel: StreamChannel;
  readonly engine: Pick<EngineClient, 'info' | 'open'>;
  /** Longest time that a stream waits for a slot. */
  readonly slotWaitMs: number;
  /** Returns whether the worker accepts this stream now. */
  readonly accepting: () => boolean;
  readonly onAudio: (samples: number) => void;
  /** Starts the trace of a stream. Returns undefined if the gateway does not trace this stream. */
  readonly trace: (traceparent: string | undefined) => StreamTrace | undefined;
  /** Called when the stream has a slot. */
  readonly onOpened: () => void;
  /** Called once when the stream has ended, with the reason. */
  readonly onEnd: (code: EndCode) => void;
}

/**
 * Reason why a stream has ended. After `reopened`, the gateway opens a new stream with another context for the same
 * session.
 */
export type EndCode = RelayErrorCode | 'done' | 'reopened' | 'slow_reader' | 'lost';

type OpenRequest = Extract<RelayRequest, { type: 'open' }>;

const SLOT_POLL_MS = 20;

/**
 * A stream of a gateway. It translates between the relay protocol (relay.ts in `@svc-asr/core`) and a stream of the
 * engine.
 */
export class RelayStream {
  readonly #parts: StreamParts;
  #state: 'opening' | 'open' | 'over' = 'opening';
  #stream: EngineStream | undefined;
  #marks = 0;
  #trace: StreamTrace | undefined;

  constructor(parts: StreamParts) {
    this.#parts = parts;
  }

  /** State of the stream: `opening` until it has a slot, then `open`, and `over` after its end. */
  get state(): 'opening' | 'open' | 'over' {
    return this.#state;
  }

  /** Number of samples that were accepted since the start of the stream. */
  get acceptedSamples(): number {
    return this.#stream?.accepted ?? 0;
  }

  /** Opens the stream. If no slot is free, waits for one. */
  async open(request: OpenRequest): Promise<void> {
    this.#trace = this.#parts.trace(request.traceparent);
    const deadline = performance.now() + this.#parts.slotWaitMs;
    const options = openOptions(request);
    // Retries, because the ledger can assign a slot to the next stream shortly before the inference thread has freed
    // this slot.
    while (!this.#tryOpen(options, performance.now() >= deadline)) {
      await new Promise((resolve) => setTimeout(resolve, SLOT_POLL_MS));
    }
  }

  /** Accepts audio of the gateway. */
  receiveAudio(pcm: Uint8Array): void {
    if (this.#state === 'over') return;
    if (pcm.length % 2 !== 0) {
      this.fail('invalid_audio', `a frame of ${pcm.length} bytes does not hold whole samples`);
      return;
    }
    this.#parts.onAudio(pcm.length / 2);
    this.#trace?.audioReceived();
    this.#callEngine((stream) => {
      if (!stream.write(pcm)) this.fail('buffer_overrun', 'more audio arrived than the worker has announced room for');
    });
  }

  /** Accepts a message that the gateway sends after its `open` message. */
  receive(message: RelayRequest): void {
    if (this.#state === 'over') return;
    if (message.type === 'open') {
      this.fail('invalid_message', 'the stream is already open');
      return;
    }
    if (this.#marks >= RELAY_LIMITS.maxMarks) {
      this.fail('buffer_overrun', `more than ${RELAY_LIMITS.maxMarks} flushes and resets are unanswered`);
      return;
    }
    this.#marks++;
    this.#trace?.marked();
    this.#callEngine((stream) => {
      if (message.type === 'flush') stream.flush();
      else stream.reset();
    });
  }

  /**
   * Asks the gateway to move this stream to another worker. `withinMs` is the time limit for the move, if there is one.
   * If the stream has no slot yet, refuses the stream instead.
   */
  move(withinMs: number | undefined): void {
    if (this.#state !== 'open') this.fail('draining', 'the worker accepts no new streams', RELAY_CLOSE.noSlot);
    else this.#parts.channel.send({ type: 'move', ...(withinMs !== undefined && { within_ms: withinMs }) });
  }

  /**
   * Asks the gateway to move this stream to another worker if one has a free slot. This worker has too many streams.
   */
  moveIfPossible(): void {
    this.#parts.channel.send({ type: 'move', reason: TOO_MANY_STREAMS });
  }

  /** Ends the stream with an error. */
  fail(code: RelayErrorCode, message: string, closeCode: number = RELAY_CLOSE.failed): void {
    if (this.#state === 'over') return;
    const { channel } = this.#parts;
    channel.send({ type: 'error', code, message });
    this.end(code);
    channel.close(closeCode, code);
  }

  /** Ends the stream and frees its slot. Sends no message to the gateway. */
  end(code: EndCode): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#stream?.close();
    this.#trace?.end(code);
    this.#parts.onEnd(code);
  }

  /** Tries to open the stream. Returns true if it was opened or refused, and false if the caller should retry. */
  #tryOpen(options: OpenOptions, isLast: boolean): boolean {
    if (this.#state !== 'opening') return true;
    if (!this.#parts.accepting()) {
      this.fail('draining', 'the worker accepts no new streams', RELAY_CLOSE.noSlot);
      return true;
    }
    try {
      this.#opened(this.#parts.engine.open(options), options);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (error.code === 'no_slot' && !isLast) return false;
      this.fail(error.code, error.message, error.code === 'no_slot' ? RELAY_CLOSE.noSlot : RELAY_CLOSE.failed);
    }
    return true;
  }

  #opened(stream: EngineStream, { endpointing, phrases }: OpenOptions): void {
    const { channel, engine } = this.#parts;
    this.#stream = stream;
    this.#state = 'open';
    const [left, right] = stream.context;
    const info = engine.info.contexts.find(({ context }) => context[0] === left && context[1] === right);
    stream.on('delta', (delta) => channel.send(deltaAnswer(delta)));
    stream.on('final', (final) => {
      channel.send(finalAnswer(final));
      this.#trace?.answered(final);
      if (!final.isEndpoint) this.#marks--;
    });
    stream.on('reset', () => {
      channel.send({ type: 'reset_done' });
      this.#trace?.dropped();
      this.#marks--;
    });
    stream.on('consumed', (samples) => channel.sendConsumed(samples));
    stream.on('error', ({ code, message }) => this.fail(code, message));
    channel.send({
      type: 'opened',
      chunk_samples: info?.chunkSamples ?? 1,
      early_samples: info?.earlySamples ?? 0,
      context: [left, right],
      buffer_samples: BUFFER_SAMPLES,
      ...(endpointing && { endpointing: true }),
      ...(phrases && { phrases: engine.info.supportsPhrases }),
    });
    this.#trace?.opened();
    this.#parts.onOpened();
  }

  /**
   * Calls a function with the stream of the engine. Ends this stream with an error if it is not open yet, or if the
   * function throws an EngineError.
   */
  #callEngine(act: (stream: EngineStream) => void): void {
    if (this.#stream === undefined) {
      this.fail('invalid_message', 'the stream is not open yet');
      return;
    }
    try {
      act(this.#stream);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.fail(error.code, error.message);
    }
  }
}

/** Converts the `open` message of a gateway to the options of the engine. */
function openOptions({ context, realtime_from: realtimeFrom = 0, endpointing, phrases }: OpenRequest): OpenOptions {
  if (endpointing === undefined) return { context, realtimeFrom, phrases };
  const { silence_ms: silenceMs, not_before: notBefore = 0 } = endpointing;
  return { context, realtimeFrom, endpointing: { silenceMs, notBefore }, phrases };
}
