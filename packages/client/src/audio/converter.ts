import { AUDIO } from '@svc-asr/core/stream';
import { decodeMono } from './decode.ts';
import { toPcm16 } from './pcm16.ts';
import { createResampler } from './resampler.ts';
import type { Resampler } from './resampler.ts';
import { WavReader } from './wav-reader.ts';
import type { WavLayout } from './wav-reader.ts';

/** Converts a WAV file to the audio format of the stream, piece by piece. */
export interface WavConverter {
  /** Takes the next bytes of the file and returns the PCM16 samples that are ready. */
  push: (bytes: Uint8Array) => Int16Array;
  /** Returns the format and the position of the audio. Undefined until the header has been read. */
  layout: () => WavLayout | undefined;
  /**
   * Call at the end of the file. Returns the last samples, and the number of bytes that the header declares but the
   * file lacks.
   */
  end: () => { pcm: Int16Array; missingBytes: number };
}

/** Creates a converter from WAV in any format that wav-format.ts accepts to 16,000 Hz, one channel, 16 bits. */
export function createWavConverter(): WavConverter {
  const reader = new WavReader();
  let resampler: Resampler | undefined;

  function resamplerOf({ format }: WavLayout): Resampler {
    return (resampler ??= createResampler(format.sampleRateHz, AUDIO.sampleRateHz));
  }

  return {
    push: (bytes) => {
      const audio = reader.push(bytes);
      const { layout } = reader;
      if (layout === undefined) return new Int16Array(0);
      return toPcm16(resamplerOf(layout).push(decodeMono(audio, layout.format)));
    },
    layout: () => reader.layout,
    end: () => {
      const missingBytes = reader.end();
      return { pcm: toPcm16(resampler?.end() ?? new Float32Array(0)), missingBytes };
    },
  };
}
