import { AUDIO } from '@svc-asr/core/stream';

const FRAME_MS = 20;
const FRAME_SAMPLES = (AUDIO.sampleRateHz * FRAME_MS) / 1000;
/**
 * With each frame, the softest level rises and the loudest level falls by this number of dB, unless the frame itself is
 * softer or louder. This is 1 dB per second.
 */
const DRIFT_DB = 0.02;
/** Audio below this level, relative to full scale, is always quiet. */
const SILENCE_DB = -60;
/**
 * If the loudest and the softest level differ by less than this, the audio contains no speech. Only audio below
 * SILENCE_DB is then quiet.
 */
const LEAST_RANGE_DB = 10;
/**
 * Lower part of the range between the softest and the loudest level, as a share. Frames in this part count as quiet.
 */
const QUIET_SHARE = 0.3;

/** Measures how long speech has paused, by the energy of the audio. */
export class PauseFinder {
  /** Sum of the squares in the current frame, and the number of its samples so far. */
  #energy = 0;
  #samples = 0;
  #softDb = Infinity;
  #loudDb = -Infinity;
  #quietFrames = 0;

  /** Duration of the quiet audio at the end. 0 during speech. */
  get quietMs(): number {
    return this.#quietFrames * FRAME_MS;
  }

  /** Takes the next audio: whole samples of PCM16. */
  push(bytes: Uint8Array<ArrayBuffer>): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at < bytes.length; at += 2) {
      this.#energy += (view.getInt16(at, true) / 32_768) ** 2;
      if (++this.#samples === FRAME_SAMPLES) this.#endFrame();
    }
  }

  #endFrame(): void {
    const levelDb = Math.max(-100, 10 * Math.log10(this.#energy / FRAME_SAMPLES));
    [this.#energy, this.#samples] = [0, 0];
    this.#softDb = Math.min(levelDb, this.#softDb + DRIFT_DB);
    this.#loudDb = Math.max(levelDb, this.#loudDb - DRIFT_DB);
    const rangeDb = this.#loudDb - this.#softDb;
    const isSoft = rangeDb >= LEAST_RANGE_DB && levelDb < this.#softDb + rangeDb * QUIET_SHARE;
    this.#quietFrames = isSoft || levelDb < SILENCE_DB ? this.#quietFrames + 1 : 0;
  }
}
