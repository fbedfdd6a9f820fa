import { AUDIO } from '@svc-asr/core/stream';
import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { AudioFormatError, createWavConverter, resampledLength } from '@svc-asr/client';
import type { WavLayout } from '@svc-asr/client';
import { UsageError } from './exit.ts';
import type { PcmSource } from './pcm-source.ts';

export interface WavInput {
  /** Path, or `-` for standard input. */
  file: string;
  cwd: string;
  stdin: Readable;
  /** Called with notes about the file. */
  note: (text: string) => void;
}

/** Opens a WAV file and reads its header. An unusable file therefore fails before a session is created. */
export async function openWav({ file, cwd, stdin, note }: WavInput): Promise<PcmSource> {
  const name = file === '-' ? 'standard input' : file;
  const path = resolve(cwd, file);
  const input = file === '-' ? stdin : createReadStream(path);
  const bytes = input[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
  const converter = createWavConverter();
  let isStopped = false;

  /** Returns the next bytes. Undefined at the end. */
  async function read(): Promise<Uint8Array | undefined> {
    try {
      const { done, value } = await bytes.next();
      return done === true ? undefined : value;
    } catch (error) {
      // `stop` has aborted the read.
      if (isStopped) return undefined;
      throw error;
    }
  }

  async function* convert(): AsyncGenerator<Int16Array> {
    for (let next = await read(); next !== undefined; next = await read()) yield converter.push(next);
    if (isStopped) return;
    const { pcm, missingBytes } = converter.end();
    if (missingBytes > 0) note(`${name} is shorter than its header declares: ${missingBytes} bytes are missing.`);
    yield pcm;
  }

  async function* explained(chunks: AsyncIterable<Int16Array>): AsyncGenerator<Int16Array, undefined> {
    try {
      yield* chunks;
    } catch (error) {
      input.destroy();
      throw explain(name, error);
    }
    return undefined;
  }

  const chunks = explained(convert());
  const head: Int16Array[] = [];
  while (converter.layout() === undefined) {
    const { done, value } = await chunks.next();
    if (done === true) break;
    head.push(value);
  }
  async function* whole(): AsyncGenerator<Int16Array> {
    yield* head;
    yield* chunks;
  }

  const layout = converter.layout();
  return {
    totalSamples: layout === undefined || file === '-' ? undefined : countSamples(layout, statSync(path).size),
    chunks: whole(),
    isStopped: () => isStopped,
    stop: () => {
      isStopped = true;
      input.destroy();
    },
  };
}

/** Returns the number of samples that a file of this size sends to the stream. */
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

function explain(name: string, error: unknown): Error {
  if (error instanceof AudioFormatError) return new UsageError(`cannot use ${name}: ${error.message}`);
  const { code, message } = error as NodeJS.ErrnoException;
  return new UsageError(`cannot read ${name}: ${REASONS[code ?? ''] ?? code ?? message}`);
}
