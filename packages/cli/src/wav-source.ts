import { AUDIO } from '@svc-asr/core/stream';
import { statSync } from 'node:fs';
import { AudioFormatError, createWavConverter, resampledLength } from '@svc-asr/client';
import type { WavLayout } from '@svc-asr/client';
import type { AudioInput } from './audio-input.ts';
import { UsageError } from './exit.ts';
import type { PcmSource } from './pcm-source.ts';

/**
 * Reads the header of a WAV file. If the file is not usable WAV, throws an AudioFormatError and leaves the input usable
 * for other decoders.
 */
export async function openWav(input: AudioInput, note: (text: string) => void): Promise<PcmSource> {
  const converter = createWavConverter();
  const head: Int16Array[] = [];
  let isStopped = false;
  while (converter.layout() === undefined) {
    const bytes = await input.next();
    if (bytes === undefined) converter.end();
    else head.push(converter.push(bytes));
  }
  input.keep();

  /** Returns the next bytes. Undefined at the end. */
  async function read(): Promise<Uint8Array | undefined> {
    try {
      return await input.next();
    } catch (error) {
      // If `stop` was called, it has aborted this read.
      if (isStopped) return undefined;
      throw explainReadError(input.name, error);
    }
  }

  async function* chunks(): AsyncGenerator<Int16Array> {
    yield* head;
    for (let next = await read(); next !== undefined; next = await read()) yield converter.push(next);
    if (isStopped) return;
    const { pcm, missingBytes } = converter.end();
    if (missingBytes > 0) note(`${input.name} is shorter than its header declares: ${missingBytes} bytes are missing.`);
    yield pcm;
  }

  const layout = converter.layout();
  return {
    totalSamples:
      layout === undefined || input.path === undefined ? undefined : countSamples(layout, statSync(input.path).size),
    chunks: chunks(),
    isStopped: () => isStopped,
    stop: () => {
      isStopped = true;
      input.destroy();
    },
  };
}

/** Returns the number of samples that are streamed for a file of this size. Undefined if the size is unknown. */
function countSamples({ format, audioAt, declaredBytes }: WavLayout, fileBytes: number): number | undefined {
  // Named pipes, for example, have no size.
  if (fileBytes === 0) return undefined;
  const frames = Math.floor(Math.min(declaredBytes, fileBytes - audioAt) / format.bytesPerFrame);
  return resampledLength(frames, format.sampleRateHz, AUDIO.sampleRateHz);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
};

/** Builds the error for a file that cannot be read or used. */
export function explainReadError(name: string, error: unknown): Error {
  if (error instanceof AudioFormatError) return new UsageError(`cannot use ${name}: ${error.message}`);
  const { code, message } = error as NodeJS.ErrnoException;
  return new UsageError(`cannot read ${name}: ${REASONS[code ?? ''] ?? code ?? message}`);
}
