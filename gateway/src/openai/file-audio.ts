import { AUDIO } from '@svc-asr/core';

const BYTES_PER_MS = (AUDIO.sampleRateHz * AUDIO.bytesPerSample) / 1000;
/** Longest utterance of a long file. It fits into the memory of a stream that has reserved 300 s. */
export const MAX_UTTERANCE_BYTES = 240_000 * BYTES_PER_MS;
/** Last part of the longest utterance. Without a pause, the utterance ends at the quietest moment of this part. */
const SEARCH_BYTES = 10_000 * BYTES_PER_MS;
const SEARCH_FROM_BYTES = MAX_UTTERANCE_BYTES - SEARCH_BYTES;
/** Length of a moment, 160 ms in blocks of 10 ms. Gaps between words are often as short. */
const MOMENT_BLOCKS = 16;
const BLOCK_SAMPLES = AUDIO.sampleRateHz / 100;
const BLOCK_BYTES = BLOCK_SAMPLES * AUDIO.bytesPerSample;

/** Audio to send next. */
export interface FileStep {
  readonly pcm: Buffer | undefined;
  /** Whether the utterance ends after the audio. */
  readonly endsUtterance: boolean;
  /** Whether the file ends after the audio. */
  readonly isLast: boolean;
}

/**
 * The audio of a file, in steps. An utterance of a long file has at most 240 s. If no pause ends it, it ends at the
 * quietest moment between 230 and 240 s. The end depends on the audio alone, not on the frames in which it arrives.
 */
export class FileAudio {
  readonly #frames: AsyncIterator<Buffer, undefined>;
  readonly #isLong: boolean;
  /** Frames that were read and not taken. */
  #ahead: Buffer[] = [];
  #aheadBytes = 0;
  #isEnded = false;
  /** Bytes left to take until the utterance ends. Undefined before the end was searched. */
  #cutBytes: number | undefined;
  /** Number of utterances that pauses have ended. */
  #restarts = 0;

  constructor(frames: AsyncIterator<Buffer, undefined>, isLong: boolean) {
    this.#frames = frames;
    this.#isLong = isLong;
  }

  /** Reads the frames that `take` needs. `utteranceBytes` is the audio of the utterance that was already sent. */
  async prepare(utteranceBytes: number): Promise<void> {
    const restarts = this.#restarts;
    const isSearching = this.#isLong && this.#cutBytes === undefined && utteranceBytes >= SEARCH_FROM_BYTES;
    const range = isSearching ? Math.max(BLOCK_BYTES, MAX_UTTERANCE_BYTES - utteranceBytes) : 0;
    while (!this.#isEnded && (this.#ahead.length < 2 || this.#aheadBytes <= range)) {
      const { value } = await this.#frames.next();
      if (value === undefined) this.#isEnded = true;
      else this.#ahead.push(value);
      this.#aheadBytes += value?.length ?? 0;
    }
    // A pause may have ended the utterance while the frames were decoded.
    if (isSearching && restarts === this.#restarts && this.#aheadBytes > range) {
      this.#cutBytes = findQuietMoment(Buffer.concat(this.#ahead).subarray(0, range));
    }
  }

  /** Call when a pause has ended the utterance. */
  restart(): void {
    this.#restarts++;
    this.#cutBytes = undefined;
  }

  /** Returns the next audio. Call it after `prepare`, with the same argument unless the utterance has restarted. */
  take(utteranceBytes: number): FileStep {
    const frame = this.#ahead.shift();
    const toSearch = SEARCH_FROM_BYTES - utteranceBytes;
    const toRange = this.#isLong && toSearch > 0 ? toSearch : Infinity;
    const bytes = Math.min(frame?.length ?? 0, this.#cutBytes ?? toRange);
    if (frame !== undefined && bytes < frame.length) this.#ahead.unshift(frame.subarray(bytes));
    this.#aheadBytes -= bytes;
    const isLast = this.#isEnded && this.#ahead.length === 0;
    const endsUtterance = isLast || this.#cutBytes === bytes;
    this.#cutBytes = this.#cutBytes === undefined || endsUtterance ? undefined : this.#cutBytes - bytes;
    return { pcm: frame?.subarray(0, bytes), endsUtterance, isLast };
  }
}

/** Returns the position in PCM, in bytes, of the middle of its quietest 160 ms. */
export function findQuietMoment(pcm: Buffer): number {
  const energies = Array.from({ length: Math.floor(pcm.length / BLOCK_BYTES) }, (_, block) => energyOf(pcm, block));
  let [sum, least, at] = [0, Infinity, energies.length];
  for (const [block, energy] of energies.entries()) {
    sum += energy - (energies[block - MOMENT_BLOCKS] ?? 0);
    if (block < MOMENT_BLOCKS - 1 || sum >= least) continue;
    [least, at] = [sum, block + 1 - MOMENT_BLOCKS / 2];
  }
  return at * BLOCK_BYTES;
}

function energyOf(pcm: Buffer, block: number): number {
  let energy = 0;
  for (let at = 0; at < BLOCK_BYTES; at += AUDIO.bytesPerSample)
    energy += pcm.readInt16LE(block * BLOCK_BYTES + at) ** 2;
  return energy;
}
