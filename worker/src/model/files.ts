import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ModelError } from './error.ts';
import { parseManifest } from './manifest.ts';
import type { FileRef, Manifest } from './manifest.ts';

/** Reads and validates `manifest.json` of a model folder. */
export async function readManifest(folder: string): Promise<Manifest> {
  try {
    return parseManifest(await readFile(join(folder, 'manifest.json'), 'utf8'));
  } catch (cause) {
    if (cause instanceof ModelError) throw cause;
    throw new ModelError('manifest_missing', `no readable manifest.json in ${folder}`, { cause });
  }
}

/**
 * Reads a file of a model folder. Throws a ModelError if the file is missing, or if its checksum differs from the one
 * in the manifest.
 */
export async function readChecked(folder: string, { file, sha256 }: FileRef): Promise<Buffer> {
  let bytes: Buffer;
  try {
    bytes = await readFile(join(folder, file));
  } catch (cause) {
    throw new ModelError('file_missing', `${file}: listed in the manifest, but it cannot be read`, { cause });
  }
  const actual = createHash('sha256').update(bytes).digest('hex');
  if (actual !== sha256) {
    throw new ModelError('checksum_mismatch', `${file}: sha256 is ${actual}, but the manifest lists ${sha256}`);
  }
  return bytes;
}
