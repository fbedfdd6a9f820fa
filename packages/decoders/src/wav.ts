import { AudioFormatError, createWavConverter } from '@svc-asr/client';
import type { ByteReader } from './byte-reader.ts';

const STEP_BYTES = 65_536;
/**
 * Smallest size, other than 0, that writers declare if they do not know the size of the audio. The program sox declares
 * this size.
 */
const PLACEHOLDER_BYTES = 0x7fff_f000;

export async function* decodeWav(reader: ByteReader): AsyncGenerator<Int16Array> {
  const converter = createWavConverter();
  for await (const piece of reader.rest(STEP_BYTES)) yield converter.push(piece);
  const { pcm, missingBytes } = converter.end();
  if (missingBytes > 0 && (converter.layout()?.declaredBytes ?? 0) < PLACEHOLDER_BYTES) {
    throw new AudioFormatError(`the WAV file is truncated: ${missingBytes} bytes are missing`);
  }
  yield pcm;
}
