import { AUDIO } from '@svc-asr/core/stream';
import { decodeMono } from './decode.ts';
import { toPcm16 } from './pcm16.ts';
import { createResampler } from './resampler.ts';
import type { Resampler } from './resampler.ts';
import { createWavReader } from './wav-reader.ts';
import type { WavLayout } from './wav-reader.ts';

/** Turns a WAV file into what the stream takes, as the file comes. */
export interface WavConverter {
  /** Takes the next bytes of the file; gives the PCM16 samples that are ready. */
  push: (bytes: Uint8Array) => Int16Array;
  /** Format and place of the audio; undefined until the header has been read. */
  layout: () => WavLayout | undefined;
  /** The file is over: gives the last samples, and how many bytes the header promised that did not come. */
  end: () => { pcm: Int16Array; missingBytes: number };
}

/** A converter from WAV of any rate, channels and depth to 16,000 Hz, one channel, 16 bit. */
export function createWavConverter(): WavConverter {
  const reader = createWavReader();
  let resampler: Resampler | undefined;

  function resamplerOf({ format }: WavLayout): Resampler {
    return (resampler ??= createResampler(format.sampleRateHz, AUDIO.sampleRateHz));
  }

  return {
    push: (bytes) => {
      const audio = reader.push(bytes);
      const layout = reader.layout();
      if (layout === undefined) return new Int16Array(0);
      return toPcm16(resamplerOf(layout).push(decodeMono(audio, layout.format)));
    },
    layout: reader.layout,
    end: () => {
      const missingBytes = reader.end();
      return { pcm: toPcm16(resampler?.end() ?? new Float32Array(0)), missingBytes };
    },
  };
}
