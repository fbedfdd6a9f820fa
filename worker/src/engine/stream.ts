import { EventEmitter } from 'node:events';
import { windowsIn } from '../features/framing.ts';
import type { Framing } from '../features/framing.ts';
import type { Context } from '../model/manifest.ts';
import { EngineError } from './error.ts';
import type { Delta, Final, Mark, StreamEvent } from './protocol.ts';
import { RING_SAMPLES } from './shared.ts';
import type { AudioRing } from './shared.ts';

/** Events of a stream. The stream emits no event after `error`, or after a call of `close()`. */
export interface StreamEvents {
  delta: [Delta];
  final: [Final];
  /** Emitted when `reset()` has dropped the utterance that ended at this sample. */
  reset: [samples: number];
  /** Emitted when the engine no longer needs the audio before this sample. */
  consumed: [samples: number];
  /** Emitted when all accepted audio is in the ring, so that the caller can write again. */
  drain: [];
  error: [EngineError];
}

/** Functions of the engine that a stream calls. */
export interface StreamLink {
  mark(mark: Mark): void;
  wake(): void;
  close(): void;
}

/**
 * Maximum number of samples that are queued outside the ring. A caller that waits for `drain` never queues more than
 * one write.
 */
const MAX_WAITING_SAMPLES = RING_SAMPLES * 2;

/** One audio stream, as the thread that serves the stream uses it. */
export class EngineStream extends EventEmitter<StreamEvents> {
  readonly context: Context;
  readonly #framing: Framing;
  readonly #ring: AudioRing;
  readonly #link: StreamLink;
  /** Accepted audio that did not fit into the ring, in order. */
  #waiting: Int16Array[] = [];
  #accepted = 0;
  /** First sample of the current utterance. */
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

  /** Number of samples that were accepted since the start of the stream. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Number of accepted samples that the engine has not consumed yet. */
  get buffered(): number {
    return this.#accepted - Math.min(this.#ring.consumed, this.#accepted);
  }

  /**
   * Accepts 16-bit little-endian mono samples at 16 kHz and copies them. All samples are accepted, even if the result
   * is false. If it is false, wait for `drain` before the next write.
   */
  write(audio: Int16Array | Uint8Array): boolean {
    this.#mustBeOpen();
    const samples = audio instanceof Int16Array ? audio : samplesOf(audio);
    const waiting = this.#waiting.reduce((sum, part) => sum + part.length, 0);
    if (waiting + samples.length > MAX_WAITING_SAMPLES) {
      throw new EngineError(
        'buffer_overrun',
        'too much audio is queued; wait for the drain event before the next write',
      );
    }
    const before = this.#windows();
    this.#accepted += samples.length;
    const done = waiting > 0 ? 0 : this.#ring.write(samples);
    if (done < samples.length) this.#waiting.push(samples.slice(done));
    if (this.#windows() > before) this.#link.wake();
    this.#needDrain = this.#waiting.length > 0;
    return !this.#needDrain;
  }

  /**
   * Ends the utterance. Exactly one `final` whose `isEndpoint` is false follows. Audio written after this call belongs
   * to the next utterance.
   */
  flush(): void {
    this.#mark('flush');
  }

  /** Drops the utterance. A `reset` event follows, which is the last event of this utterance. */
  reset(): void {
    this.#mark('reset');
  }

  /** Ends the stream immediately without a final, and frees the slot of the stream. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#waiting = [];
    this.#link.close();
  }

  /** Called by the engine with each event of this stream from the inference thread. */
  handle(event: StreamEvent): void {
    if (!this.#open) return;
    switch (event.kind) {
      case 'delta':
        this.emit('delta', event.delta);
        break;
      case 'final':
        this.#handleFinal(event.final);
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

  /** Called by the engine when the stream cannot continue. */
  fail(error: EngineError): void {
    if (!this.#open) return;
    this.#open = false;
    this.#waiting = [];
    this.emit('error', error);
  }

  #handleFinal(final: Final): void {
    this.emit('final', final);
    // The windows of the next utterance start at the cut. The audio that was written after the cut may already be
    // enough for a window.
    if (!final.isEndpoint) return;
    this.#start = Math.max(this.#start, final.endSample);
    this.#link.wake();
  }

  #mark(kind: Mark['kind']): void {
    this.#mustBeOpen();
    this.#ring.mark();
    this.#start = this.#accepted;
    this.#link.mark({ kind, at: this.#accepted });
  }

  /** Moves as much queued audio into the ring as the ring has room for. */
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
    // The audio that is now in the ring may complete a window, or an utterance that was flushed earlier.
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

/** Returns the bytes as samples. Buffers from sockets can start at an odd offset and must then be copied. */
function samplesOf(bytes: Uint8Array): Int16Array {
  // `new Uint8Array` copies. `slice()` of a Buffer would share the memory and keep the odd offset.
  const aligned = bytes.byteOffset % 2 === 0 ? bytes : new Uint8Array(bytes);
  return new Int16Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 1);
}
