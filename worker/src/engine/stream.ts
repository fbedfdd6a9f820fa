import { EventEmitter } from 'node:events';
import { windowsIn } from '../features/framing.ts';
import type { Framing } from '../features/framing.ts';
import type { Context } from '../model/manifest.ts';
import { EngineError } from './error.ts';
import type { Delta, Final, Mark, StreamEvent } from './protocol.ts';
import { RING_SAMPLES } from './shared.ts';
import type { AudioRing } from './shared.ts';

/** Events of a stream. After `error` or `close()` there are no more. */
export interface StreamEvents {
  delta: [Delta];
  final: [Final];
  /** The utterance that ended at this sample was dropped, as `reset()` asked. */
  reset: [samples: number];
  /** Audio before this sample is done with. */
  consumed: [samples: number];
  /** Everything written is in the ring and there is room for more: write again. */
  drain: [];
  error: [EngineError];
}

/** What a stream needs of its engine. */
export interface StreamLink {
  mark(mark: Mark): void;
  wake(): void;
  close(): void;
}

/** Audio that may wait outside the ring: a caller that heeds back-pressure never needs more than one write's worth. */
const MAX_WAITING_SAMPLES = RING_SAMPLES * 2;

/** One stream of audio on the main thread's side. */
export class EngineStream extends EventEmitter<StreamEvents> {
  readonly context: Context;
  readonly #framing: Framing;
  readonly #ring: AudioRing;
  readonly #link: StreamLink;
  /** What the ring had no room for, in order. */
  #waiting: Int16Array[] = [];
  #accepted = 0;
  /** Sample at which the present utterance started. */
  #start = 0;
  #open = true;
  #needDrain = false;

  constructor(context: Context, framing: Framing, ring: AudioRing, link: StreamLink) {
    super();
    this.context = context;
    this.#framing = framing;
    this.#ring = ring;
    this.#link = link;
  }

  /** Samples accepted so far, from the stream's start. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Samples accepted and not yet done with. */
  get buffered(): number {
    return this.#accepted - Math.min(this.#ring.consumed, this.#accepted);
  }

  /**
   * Takes 16-bit little-endian mono samples at 16 kHz; they are copied. False asks the caller to wait for `drain`: what was given is
   * accepted all the same.
   */
  write(audio: Int16Array | Uint8Array): boolean {
    this.#mustBeOpen();
    const samples = audio instanceof Int16Array ? audio : samplesOf(audio);
    const waiting = this.#waiting.reduce((sum, part) => sum + part.length, 0);
    if (waiting + samples.length > MAX_WAITING_SAMPLES) {
      throw new EngineError('buffer_overrun', 'audio was written on and on without waiting for drain');
    }
    const before = this.#windows();
    this.#accepted += samples.length;
    const done = waiting > 0 ? 0 : this.#ring.write(samples);
    if (done < samples.length) this.#waiting.push(samples.slice(done));
    if (this.#windows() > before) this.#link.wake();
    this.#needDrain = this.#waiting.length > 0;
    return !this.#needDrain;
  }

  /** Ends the utterance; exactly one `final` follows. Audio written after it belongs to the next one. */
  flush(): void {
    this.#mark('flush');
  }

  /** Drops the utterance; `reset` follows, and nothing of it after that. */
  reset(): void {
    this.#mark('reset');
  }

  /** Ends the stream at once and without a final, and frees its slot. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#waiting = [];
    this.#link.close();
  }

  /** Called by the engine with what the inference thread reports about this stream. */
  handle(event: StreamEvent): void {
    if (!this.#open) return;
    switch (event.kind) {
      case 'delta':
        this.emit('delta', event.delta);
        break;
      case 'final':
        this.emit('final', event.final);
        break;
      case 'reset':
        this.emit('reset', event.at);
        break;
      case 'consumed':
        this.#refill();
        this.emit('consumed', event.samples);
        break;
      case 'failed':
        this.fail(new EngineError('inference_failed', event.message));
        break;
      case 'closed':
        break;
    }
  }

  /** Called by the engine when the stream cannot go on. */
  fail(error: EngineError): void {
    if (!this.#open) return;
    this.#open = false;
    this.#waiting = [];
    this.emit('error', error);
  }

  #mark(kind: Mark['kind']): void {
    this.#mustBeOpen();
    this.#ring.mark();
    this.#start = this.#accepted;
    this.#link.mark({ kind, at: this.#accepted });
  }

  /** Moves waiting audio into the room that was freed. */
  #refill(): void {
    if (!this.#needDrain) return;
    while (this.#waiting[0] !== undefined) {
      const [first] = this.#waiting;
      const done = this.#ring.write(first);
      if (done < first.length) {
        this.#waiting[0] = first.subarray(done);
        break;
      }
      this.#waiting.shift();
    }
    // What was moved may complete a window, or an utterance that has been flushed already.
    this.#link.wake();
    if (this.#waiting.length > 0) return;
    this.#needDrain = false;
    this.emit('drain');
  }

  #windows(): number {
    return windowsIn(this.#framing, this.#accepted - this.#start);
  }

  #mustBeOpen(): void {
    if (!this.#open) throw new EngineError('closed', 'the stream is closed');
  }
}

/** Bytes as samples; an odd offset, as sockets give it, needs a copy. */
function samplesOf(bytes: Uint8Array): Int16Array {
  // Not slice(): a Buffer's shares the memory, and with it the offset.
  const aligned = bytes.byteOffset % 2 === 0 ? bytes : new Uint8Array(bytes);
  return new Int16Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 1);
}
