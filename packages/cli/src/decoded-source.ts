import { decodeAudio } from '@svc-asr/decoders';
import type { AudioInput } from './audio-input.ts';
import type { PcmSource } from './pcm-source.ts';
import { explainReadError } from './wav-source.ts';

/**
 * Decodes a FLAC or Ogg Opus file. Waits for the first audio. If the file has another format, throws an
 * UnsupportedAudioError and leaves the input usable.
 */
export async function openDecoded(input: AudioInput): Promise<PcmSource> {
  input.rewind();
  const decoded = decodeAudio(input.rest());
  let first = await decoded.next();
  while (first.done !== true && first.value.length === 0) first = await decoded.next();
  input.keep();
  let isStopped = false;

  async function* chunks(): AsyncGenerator<Int16Array> {
    if (first.done === true) return;
    yield first.value;
    try {
      yield* decoded;
    } catch (error) {
      // If `stop` was called, it has aborted this read.
      if (!isStopped) throw explainReadError(input.name, error);
    }
  }

  return {
    totalSamples: undefined,
    chunks: chunks(),
    isStopped: () => isStopped,
    stop: () => {
      isStopped = true;
      input.destroy();
    },
  };
}
