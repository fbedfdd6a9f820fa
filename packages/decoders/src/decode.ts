import { AUDIO } from '@svc-asr/core/stream';
import { createResampler, toPcm16 } from '@svc-asr/client';
import { ByteReader } from './byte-reader.ts';
import { decodeFlac } from './flac.ts';
import type { MonoBlock } from './mono.ts';
import { decodeOggOpus } from './ogg-opus.ts';
import { sniff, SNIFF_BYTES } from './sniff.ts';
import { decodeWav } from './wav.ts';

/**
 * Decodes a file to 16,000 Hz, one channel, 16 bits. It decodes while the caller reads the result, and keeps only a few
 * frames in memory. Throws an AudioFormatError if the file is damaged. Damage of a FLAC file may be found only at its
 * end. Throws an UnsupportedAudioError for a format that it does not know.
 */
export async function* decodeAudio(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Int16Array> {
  const reader = new ByteReader(pieces);
  switch (sniff(await reader.peek(SNIFF_BYTES))) {
    case 'flac':
      yield* resample(decodeFlac(reader));
      return;
    case 'ogg':
      yield* resample(decodeOggOpus(reader));
      return;
    case 'wav':
    case undefined:
      // For files of all other formats, `decodeWav` throws an UnsupportedAudioError.
      yield* decodeWav(reader);
  }
}

async function* resample(blocks: AsyncIterable<MonoBlock>): AsyncGenerator<Int16Array> {
  let resampler: ReturnType<typeof createResampler> | undefined;
  for await (const { samples, sampleRateHz } of blocks) {
    resampler ??= createResampler(sampleRateHz, AUDIO.sampleRateHz);
    yield toPcm16(resampler.push(samples));
  }
  if (resampler !== undefined) yield toPcm16(resampler.end());
}
