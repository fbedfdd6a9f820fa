import { randomUUID } from 'node:crypto';
import { accessSync, constants, createWriteStream, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SvcAsrUnreachable } from '@svc-asr/client';
import { UsageError } from './exit.ts';

/** Returns whether the path is a folder. False if it does not exist or a part of the path is a file. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Throws if `writeWhole` cannot write the file. Call it before work that costs credit. */
export function checkWritable(file: string): void {
  const folder = dirname(file);
  const problem = (what: string) => new UsageError(`cannot write ${file}: ${what}`);
  if (isFolder(file)) throw problem('it is a folder');
  if (!isFolder(folder)) throw problem(`the folder ${folder} does not exist. Create it, or choose another one`);
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    throw problem(`you have no permission to write in the folder ${folder}`);
  }
}

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
