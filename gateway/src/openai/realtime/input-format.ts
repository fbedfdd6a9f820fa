import { createResampler, toPcm16 } from '@svc-asr/client';
import type { Resampler } from '@svc-asr/client';
import { decodeMono } from '@svc-asr/client/internal';
import { AUDIO } from '@svc-asr/core';

/** Format of the audio that a client appends, in the notation of OpenAI. */
export type InputFormat =
  | { readonly type: 'audio/pcm'; readonly rate: 16_000 | 24_000 }
  | { readonly type: 'audio/pcmu' | 'audio/pcma' };

export const DEFAULT_FORMAT: InputFormat = { type: 'audio/pcm', rate: 24_000 };

const G711_RATE_HZ = 8000;
const ENCODINGS = { 'audio/pcm': 'int16', 'audio/pcmu': 'mulaw', 'audio/pcma': 'alaw' } as const;

export function isSameFormat(one: InputFormat, other: InputFormat): boolean {
  return one.type === other.type && rateOf(one) === rateOf(other);
}

/** Returns the number of samples per second. */
export function rateOf(format: InputFormat): number {
  return format.type === 'audio/pcm' ? format.rate : G711_RATE_HZ;
}

/** Returns the number of bytes per sample. */
export function widthOf({ type }: InputFormat): number {
  return type === 'audio/pcm' ? AUDIO.bytesPerSample : 1;
}

/** Returns how many samples the audio of this format has after its conversion to the sample rate of streams. */
export function streamSamples(bytes: number, format: InputFormat): number {
  return (bytes / widthOf(format)) * (AUDIO.sampleRateHz / rateOf(format));
}

/** Converts the audio of a client to the audio of a stream. The format may change at any time. */
export class InputAudio {
  #format: InputFormat | undefined;
  #resampler: Resampler | undefined;

  push(bytes: Buffer, format: InputFormat): Buffer {
    const [before, rate] = [this.#format, rateOf(format)];
    const rest = before === undefined || isSameFormat(before, format) ? EMPTY : this.end();
    this.#format = format;
    if (rate === AUDIO.sampleRateHz) return rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    this.#resampler ??= createResampler(rate, AUDIO.sampleRateHz);
    const layout = {
      encoding: ENCODINGS[format.type],
      channels: 1,
      sampleRateHz: rate,
      bytesPerFrame: widthOf(format),
    };
    const pcm = bytesOf(this.#resampler.push(decodeMono(bytes, layout)));
    return rest.length === 0 ? pcm : Buffer.concat([rest, pcm]);
  }

  /**
   * Returns the rest of the converted audio. Only this call returns the last 2 ms at 24 kHz, or the last 4 ms at 8 kHz,
   * which the resampler keeps back.
   */
  end(): Buffer {
    const resampler = this.#resampler;
    this.#resampler = undefined;
    return resampler === undefined ? EMPTY : bytesOf(resampler.end());
  }
}

const EMPTY = Buffer.alloc(0);

function bytesOf(samples: Float32Array): Buffer {
  const { buffer, byteOffset, byteLength } = toPcm16(samples);
  return Buffer.from(buffer, byteOffset, byteLength);
}
