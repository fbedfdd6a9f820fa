import { AudioFormatError } from './error.ts';
import { describeOther, CONVERT_IT } from './not-wav.ts';
import { audioBytes, parseChunkHead, parseLongDataBytes, parseRiffHead } from './wav-chunks.ts';
import type { RiffHead } from './wav-chunks.ts';
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

export interface WavReader {
  /** Takes the next bytes of the file and returns the audio in them, in whole frames. */
  push: (bytes: Uint8Array) => Uint8Array;
  layout: () => WavLayout | undefined;
  /**
   * Call at the end of the file. Throws if there is no audio. Returns the number of bytes that the header declares but
   * the file lacks.
   */
  end: () => number;
}

/** Upper bound on chunks that are read. A larger size means that the file is corrupt. */
const MAX_READ_BYTES = 65_536;
const EMPTY = new Uint8Array(0);

/** Creates a reader for a WAV file that arrives in pieces of any size. */
export function createWavReader(): WavReader {
  let state: 'riff' | 'chunk' | 'read' | 'skip' | 'audio' | 'over' = 'riff';
  let pending: Uint8Array = EMPTY;
  let position = 0;
  /** Number of bytes that the current state needs to finish: of a header, a chunk or audio. */
  let needed = 12;
  let [chunkId, chunkBytes] = ['', 0];
  let riff: RiffHead = { isLong: false, riffBytes: 0 };
  let longBytes: number | undefined;
  let format: WavFormat | undefined;
  let layout: WavLayout | undefined;

  function enter(next: typeof state, bytes: number): void {
    [state, needed] = [next, bytes];
  }

  function onChunk(head: Uint8Array): void {
    const { id, bytes } = parseChunkHead(head);
    [chunkId, chunkBytes] = [id, bytes];
    // A chunk of odd size is followed by a padding byte.
    if (id === 'data') onData(bytes);
    else if (id === 'fmt ' || (id === 'ds64' && riff.isLong)) {
      if (bytes > MAX_READ_BYTES)
        throw new AudioFormatError(`the WAV header is corrupt: its format has ${bytes} bytes`);
      enter('read', bytes + (bytes % 2));
    } else enter('skip', bytes + (bytes % 2));
  }

  function onData(declared: number): void {
    if (format === undefined) throw new AudioFormatError('the WAV file is corrupt: its audio precedes its format');
    const declaredBytes = audioBytes(declared, riff, longBytes, position);
    layout = { format, audioAt: position, declaredBytes };
    enter('audio', declaredBytes);
  }

  function onRead(body: Uint8Array): void {
    if (chunkId === 'fmt ') format = parseWavFormat(body.subarray(0, chunkBytes));
    else longBytes = parseLongDataBytes(body);
    enter('chunk', 8);
  }

  /** Takes the bytes that the current state needs out of `pending`. Undefined if not all of them have arrived. */
  function take(): Uint8Array | undefined {
    if (pending.length < needed) return undefined;
    const taken = pending.subarray(0, needed);
    pending = pending.subarray(needed);
    position += taken.length;
    return taken;
  }

  /** Reads the header as far as it has arrived. */
  function readHeader(): void {
    while (state !== 'audio' && state !== 'over') {
      if (state === 'skip') {
        const skipped = Math.min(needed, pending.length);
        pending = pending.subarray(skipped);
        position += skipped;
        needed -= skipped;
        if (needed > 0) return;
        enter('chunk', 8);
        continue;
      }
      const bytes = take();
      if (bytes === undefined) return;
      if (state === 'riff') {
        riff = parseRiffHead(bytes);
        enter('chunk', 8);
      } else if (state === 'chunk') onChunk(bytes);
      else onRead(bytes);
    }
  }

  function takeAudio(bytesPerFrame: number): Uint8Array {
    const there = Math.min(pending.length, needed);
    const whole = there - (there % bytesPerFrame);
    const audio = pending.subarray(0, whole);
    // An incomplete frame is kept until the rest arrives.
    pending = pending.subarray(whole);
    needed -= whole;
    if (needed < bytesPerFrame) enter('over', 0);
    if (state === 'over') pending = EMPTY;
    return audio;
  }

  return {
    push: (bytes) => {
      if (state === 'over') return EMPTY;
      pending = pending.length === 0 ? bytes : concat(pending, bytes);
      readHeader();
      const audio = layout === undefined ? EMPTY : takeAudio(layout.format.bytesPerFrame);
      // Copied, because the caller may reuse its buffer.
      pending = pending.slice();
      return audio;
    },
    layout: () => layout,
    end: () => {
      if (state === 'riff') {
        throw new AudioFormatError(
          position + pending.length === 0 ? 'the file is empty' : `this is ${describeOther(pending)}: ${CONVERT_IT}`,
        );
      }
      if (layout === undefined) throw new AudioFormatError('the WAV file ends before its audio starts');
      return state === 'over' || needed === Infinity ? 0 : needed - pending.length;
    },
  };
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
