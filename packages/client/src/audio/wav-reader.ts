import { AudioFormatError, UnsupportedAudioError } from './error.ts';
import { describeOther, CONVERT_IT } from './not-wav.ts';
import { audioBytes, parseChunkHead, parseLongDataBytes, parseRiffHead } from './wav-chunks.ts';
import type { ChunkHead, RiffHead } from './wav-chunks.ts';
import { parseWavFormat } from './wav-format.ts';
import type { WavFormat } from './wav-format.ts';

/** Position and format of the audio in a file. Available as soon as the header has been read. */
export interface WavLayout {
  format: WavFormat;
  /** Number of bytes before the audio. */
  audioAt: number;
  /** Number of audio bytes that the header declares. Infinity if it declares none. */
  declaredBytes: number;
}

/** Largest size of a header chunk that the reader parses. A larger one means that the file is corrupt. */
const MAX_READ_BYTES = 65_536;
const RIFF_HEAD_BYTES = 12;
const CHUNK_HEAD_BYTES = 8;
const EMPTY = new Uint8Array(0);

/** Next part that the reader expects: a head, a chunk to read or to skip, audio, or nothing more. */
type State = 'riff' | 'chunk' | 'read' | 'skip' | 'audio' | 'over';

/** Reads a WAV file that arrives in pieces of any size. */
export class WavReader {
  #state: State = 'riff';
  /** Number of bytes that the current state needs to finish. */
  #needed = RIFF_HEAD_BYTES;
  #pending: Uint8Array = EMPTY;
  #position = 0;
  #chunk: ChunkHead = { id: '', bytes: 0 };
  #riff: RiffHead = { isLong: false, riffBytes: 0 };
  #longBytes: number | undefined;
  #format: WavFormat | undefined;
  #layout: WavLayout | undefined;

  /** Undefined until the header has been read. */
  get layout(): WavLayout | undefined {
    return this.#layout;
  }

  /** Takes the next bytes of the file and returns the audio in them, in whole frames. */
  push(bytes: Uint8Array): Uint8Array {
    if (this.#state === 'over') return EMPTY;
    this.#pending = this.#pending.length === 0 ? bytes : concat(this.#pending, bytes);
    this.#readHeader();
    const audio = this.#layout === undefined ? EMPTY : this.#takeAudio(this.#layout.format.bytesPerFrame);
    // Copied, because the caller may reuse its buffer.
    this.#pending = this.#pending.slice();
    return audio;
  }

  /**
   * Call at the end of the file. Throws if the file is not WAV or ends before its audio starts. Returns the number of
   * bytes that the header declares but the file lacks.
   */
  end(): number {
    const pending = this.#pending;
    if (this.#state === 'riff') {
      if (this.#position + pending.length === 0) throw new AudioFormatError('the file is empty');
      throw new UnsupportedAudioError(`this is ${describeOther(pending)}: ${CONVERT_IT}`);
    }
    if (this.#layout === undefined) throw new AudioFormatError('the WAV file ends before its audio starts');
    return this.#state === 'over' || this.#needed === Infinity ? 0 : this.#needed - pending.length;
  }

  /** Reads the header as far as it has arrived. */
  #readHeader(): void {
    while (this.#state !== 'audio' && this.#state !== 'over') {
      const isDone = this.#state === 'skip' ? this.#skipChunk() : this.#readPart(this.#state);
      if (!isDone) return;
    }
  }

  /** Skips the current chunk as far as it has arrived. Returns whether all of it was skipped. */
  #skipChunk(): boolean {
    const { length } = this.#take(Math.min(this.#needed, this.#pending.length));
    this.#needed -= length;
    if (this.#needed > 0) return false;
    this.#enter('chunk', CHUNK_HEAD_BYTES);
    return true;
  }

  /** Reads a head or a chunk. Returns false if not all of it has arrived. */
  #readPart(state: 'riff' | 'chunk' | 'read'): boolean {
    if (this.#pending.length < this.#needed) return false;
    const bytes = this.#take(this.#needed);
    if (state === 'riff') this.#onRiffHead(bytes);
    else if (state === 'chunk') this.#onChunkHead(bytes);
    else this.#onChunk(bytes);
    return true;
  }

  #onRiffHead(head: Uint8Array): void {
    this.#riff = parseRiffHead(head);
    this.#enter('chunk', CHUNK_HEAD_BYTES);
  }

  #onChunkHead(head: Uint8Array): void {
    this.#chunk = parseChunkHead(head);
    const { id, bytes } = this.#chunk;
    if (id === 'data') {
      this.#onAudio(bytes);
      return;
    }
    const isUsed = id === 'fmt ' || (id === 'ds64' && this.#riff.isLong);
    if (isUsed && bytes > MAX_READ_BYTES) {
      throw new AudioFormatError(`the WAV header is corrupt: its format has ${bytes} bytes`);
    }
    // A chunk of odd size is followed by a padding byte.
    this.#enter(isUsed ? 'read' : 'skip', bytes + (bytes % 2));
  }

  #onChunk(body: Uint8Array): void {
    if (this.#chunk.id === 'fmt ') this.#format = parseWavFormat(body.subarray(0, this.#chunk.bytes));
    else this.#longBytes = parseLongDataBytes(body);
    this.#enter('chunk', CHUNK_HEAD_BYTES);
  }

  #onAudio(declared: number): void {
    const [format, audioAt] = [this.#format, this.#position];
    if (format === undefined) throw new AudioFormatError('the WAV file is corrupt: its audio precedes its format');
    const declaredBytes = audioBytes(declared, this.#riff, this.#longBytes, audioAt);
    this.#layout = { format, audioAt, declaredBytes };
    this.#enter('audio', declaredBytes);
  }

  /** Takes the whole frames that have arrived. An incomplete frame stays pending until its other bytes arrive. */
  #takeAudio(bytesPerFrame: number): Uint8Array {
    const available = Math.min(this.#pending.length, this.#needed);
    const audio = this.#take(available - (available % bytesPerFrame));
    this.#needed -= audio.length;
    if (this.#needed < bytesPerFrame) {
      this.#enter('over', 0);
      this.#pending = EMPTY;
    }
    return audio;
  }

  #enter(state: State, needed: number): void {
    this.#state = state;
    this.#needed = needed;
  }

  #take(length: number): Uint8Array {
    const taken = this.#pending.subarray(0, length);
    this.#pending = this.#pending.subarray(length);
    this.#position += length;
    return taken;
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
