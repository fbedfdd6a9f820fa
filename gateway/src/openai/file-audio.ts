import { AUDIO } from '@svc-asr/core';

const BYTES_PER_MS = (AUDIO.sampleRateHz * AUDIO.bytesPerSample) / 1000;
/** Maximum length of an utterance of a long file. It fits into the audio memory of a stream, which holds 300 s. */
export const MAX_UTTERANCE_BYTES = 240_000 * BYTES_PER_MS;
/**
 * Length of the search range at the end of an utterance of 240 s. If no pause ends the utterance earlier, it ends at
 * the quietest moment of this range.
 */
const SEARCH_BYTES = 10_000 * BYTES_PER_MS;
const SEARCH_FROM_BYTES = MAX_UTTERANCE_BYTES - SEARCH_BYTES;
/** Length of a quiet moment: 160 ms, in blocks of 10 ms. Gaps between words are often that short. */
const MOMENT_BLOCKS = 16;
const BLOCK_SAMPLES = AUDIO.sampleRateHz / 100;
const BLOCK_BYTES = BLOCK_SAMPLES * AUDIO.bytesPerSample;

/** Next audio of a file to send to its stream. */
export interface FileStep {
  readonly pcm: Buffer | undefined;
  /** True if the utterance ends after this audio. */
  readonly endsUtterance: boolean;
  /** True if the file ends after this audio. */
  readonly isLast: boolean;
}

/**
 * The audio of a file, in steps. An utterance of a long file has at most 240 s. If no pause ends an utterance, it ends
 * at its quietest moment between 230 and 240 s. This moment depends only on the audio, not on the frames in which the
 * audio arrives.
 */
export class FileAudio {
  readonly #frames: AsyncIterator<Buffer, undefined>;
  readonly #isLong: boolean;
  /** Frames that were read from the decoder but not taken yet. */
  #ahead: Buffer[] = [];
  #aheadBytes = 0;
  #isEnded = false;
  /** Number of bytes to take until the utterance ends at its quietest moment. Undefined until that moment was found. */
  #cutBytes: number | undefined;
  /** Number of utterances that ended at a pause. */
  #restarts = 0;

  constructor(frames: AsyncIterator<Buffer, undefined>, isLong: boolean) {
    this.#frames = frames;
    this.#isLong = isLong;
  }

  /**
   * Reads the frames that `take` needs. `utteranceBytes` is the number of bytes of the utterance that were sent
   * already.
   */
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
    // No quietest moment is needed if a pause ended the utterance while the frames were decoded.
    if (isSearching && restarts === this.#restarts && this.#aheadBytes > range) {
      this.#cutBytes = findQuietMoment(Buffer.concat(this.#ahead).subarray(0, range));
    }
  }

  /** Starts a new utterance. Call when a pause has ended the current one. */
  restart(): void {
    this.#restarts++;
    this.#cutBytes = undefined;
  }

  /**
   * Returns the next audio. Call `prepare` first, with the same `utteranceBytes`. The number may differ only if
   * `restart` was called between the two calls.
   */
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

/**
 * Returns the position, in bytes, of the middle of the quietest 160 ms of PCM audio. If the audio is shorter than
 * 160 ms, returns its end.
 */
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
