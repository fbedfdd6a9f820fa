import { AUDIO } from '@svc-asr/core/stream';
import { createEventQueue } from '../stream/event-queue.ts';
import { MicrophoneError } from './error.ts';

/** Audio that was captured and not read yet. */
export class AudioBuffer {
  readonly #maxSamples: number;
  readonly #pieces = createEventQueue<Int16Array>();
  #samples = 0;
  #isEnded = false;

  constructor(maxSeconds: number) {
    this.#maxSamples = maxSeconds * AUDIO.sampleRateHz;
  }

  /**
   * Appends audio. Returns false if it does not fit. The buffer then delivers the audio that it holds, and ends with an
   * error.
   */
  push(pcm: Int16Array): boolean {
    if (this.#isEnded || pcm.length === 0) return true;
    if (this.#samples + pcm.length > this.#maxSamples) {
      const seconds = this.#maxSamples / AUDIO.sampleRateHz;
      this.end(
        new MicrophoneError('buffer_full', `${seconds} s of audio were captured and not sent; open the stream sooner`),
      );
      return false;
    }
    this.#samples += pcm.length;
    this.#pieces.push(pcm);
    return true;
  }

  /** Call after the last audio. Later calls have no effect. */
  end(error?: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#pieces.end(error);
  }

  async *read(): AsyncGenerator<Int16Array> {
    for await (const pcm of this.#pieces.iterate()) {
      this.#samples -= pcm.length;
      yield pcm;
    }
  }
}
