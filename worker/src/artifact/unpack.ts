import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ArtifactError } from './error.ts';
import { safePath } from './path.ts';
import { readTar } from './tar.ts';
import type { TarEntry } from './tar.ts';

export interface UnpackLimits {
  maxBytes: number;
  maxFiles: number;
}

/**
 * Unpacks a .tar.gz into an empty folder that no other process uses. Hashes the archive again while unpacking, to
 * detect a change since the archive was verified.
 */
export async function unpack(file: string, folder: string, sha256: string, limits: UnpackLimits): Promise<void> {
  const hash = createHash('sha256');
  const hashed = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  try {
    await pipeline(createReadStream(file), hashed, createGunzip(), (bytes: AsyncIterable<Buffer>) =>
      writeAll(bytes, folder, limits),
    );
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code?.startsWith('Z_') === true) {
      throw new ArtifactError('the artifact is not a .tar.gz, or is damaged', { cause });
    }
    throw cause;
  }
  if (hash.digest('hex') !== sha256) {
    throw new ArtifactError('the artifact changed while it was unpacked', { isRetryable: true });
  }
}

async function writeAll(bytes: AsyncIterable<Buffer>, folder: string, limits: UnpackLimits): Promise<void> {
  let [files, size] = [0, 0];
  for await (const entry of readTar(bytes)) {
    files += 1;
    size += entry.size;
    if (files > limits.maxFiles) {
      throw new ArtifactError(
        `the archive has more than ${limits.maxFiles} files; raise ARTIFACT_MAX_FILES to allow this number`,
      );
    }
    if (size > limits.maxBytes) {
      throw new ArtifactError(
        `the archive unpacks to more than ${limits.maxBytes} bytes; raise ARTIFACT_MAX_UNPACKED_MIB to allow this size`,
      );
    }
    await write(entry, folder);
  }
}

async function write({ path, type, body }: TarEntry, folder: string): Promise<void> {
  const relative = safePath(path);
  const target = join(folder, relative);
  await mkdir(type === 'folder' ? target : dirname(target), { recursive: true, mode: 0o755 });
  if (type === 'folder' || relative === '') return;
  // With the flag `wx`, `open` fails if the file exists. So an entry can neither overwrite another entry nor write
  // through a link.
  const handle = await open(target, 'wx', 0o644);
  try {
    for await (const piece of body) await handle.write(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
