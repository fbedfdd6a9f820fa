import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { SvcAsrUnreachable } from '@svc-asr/client';
import { UsageError } from './exit.ts';

/**
 * Writes a body to a file and returns its number of lines. The file appears, or replaces an existing one, only when it
 * is complete.
 */
export async function writeWhole(body: AsyncIterable<Buffer>, file: string): Promise<number> {
  // A name with the process id would not be unique, because processes in different containers can have the same id.
  const temporaryFile = `${file}.${randomUUID()}.partial`;
  let lines = 0;
  async function* counted() {
    for await (const chunk of body) {
      for (const byte of chunk) if (byte === 0x0a) lines++;
      yield chunk;
    }
  }
  try {
    await pipeline(counted(), createWriteStream(temporaryFile, { mode: 0o600, flags: 'wx', flush: true }));
    await rename(temporaryFile, file);
    return lines;
  } catch (error) {
    await rm(temporaryFile, { force: true });
    if (error instanceof SvcAsrUnreachable) throw error;
    throw new UsageError(`cannot write ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
