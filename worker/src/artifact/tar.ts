import { ArtifactError } from './error.ts';
import { parseHeader, parsePax } from './tar-header.ts';
import type { TarHeader } from './tar-header.ts';

/** A file or folder of an archive. Read the body of a file before you request the next entry. */
export interface TarEntry {
  path: string;
  type: 'file' | 'folder';
  size: number;
  body: AsyncIterable<Buffer>;
}

const BLOCK = 512;
/** Largest size in bytes of a pax header or a long name. */
const MAX_EXTENSION = 65_536;

/**
 * Reads a tar archive (ustar, with the long names of pax and GNU). Throws on any entry that is neither a file nor a
 * folder. A model needs no links, and a link could point to a file outside the folder.
 */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = createReader(source);
  let path: string | undefined;
  let size: number | undefined;
  for (;;) {
    const block = await bytes.take(BLOCK);
    const header = block && parseHeader(block);
    // Two blocks of zeros end an archive. The second block is not checked.
    if (header === undefined) break;
    const whole = Math.ceil(header.size / BLOCK) * BLOCK;
    if (header.kind === 'pax' || header.kind === 'longName') {
      if (header.size > MAX_EXTENSION) throw new ArtifactError('the archive has an entry whose name is too long');
      const text = ((await bytes.take(whole)) ?? fail()).subarray(0, header.size).toString('utf8');
      if (header.kind === 'longName') path = text.replace(/\0.*$/s, '');
      else ({ path = path, size = size } = parsePax(text));
      continue;
    }
    if (header.kind === 'ignored') {
      await exhaust(bytes.pieces(whole));
      continue;
    }
    yield* entry({ ...header, path: path ?? header.path, size: size ?? header.size });
    path = undefined;
    size = undefined;
  }
  // Reads the bytes after the end mark. They are part of the archive, so a caller that hashes the archive must see
  // them.
  await bytes.drain();

  async function* entry(header: TarHeader): AsyncGenerator<TarEntry> {
    const { kind, path: name, size: length } = header;
    if (kind !== 'file' && kind !== 'folder') {
      throw new ArtifactError(
        `the archive has ${kind === 'link' ? 'a link' : 'a special file'} (${name}); pack only regular files, for example with tar -h`,
      );
    }
    const padding = (BLOCK - (length % BLOCK)) % BLOCK;
    const body = bytes.pieces(kind === 'file' ? length : 0);
    yield { path: name, type: kind, size: kind === 'file' ? length : 0, body };
    await exhaust(body);
    if (kind === 'folder') await exhaust(bytes.pieces(length));
    await exhaust(bytes.pieces(padding));
  }
}

async function exhaust(pieces: AsyncGenerator<Buffer>): Promise<void> {
  while ((await pieces.next()).done !== true);
}

function fail(): never {
  throw new ArtifactError('the archive is truncated');
}

/** Creates a reader that returns the bytes of a stream in pieces of requested sizes. */
function createReader(source: AsyncIterable<Buffer>) {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  let rest: Buffer = Buffer.alloc(0);

  async function more(): Promise<boolean> {
    const { done, value } = await chunks.next();
    if (done === true) return false;
    rest = rest.length === 0 ? value : Buffer.concat([rest, value]);
    return true;
  }

  return {
    /** Returns the next `length` bytes, or undefined at the end of the stream. */
    take: async (length: number): Promise<Buffer | undefined> => {
      while (rest.length < length) {
        if (!(await more())) return rest.length === 0 ? undefined : fail();
      }
      const taken = rest.subarray(0, length);
      rest = rest.subarray(length);
      return taken;
    },
    async *pieces(length: number): AsyncGenerator<Buffer> {
      let left = length;
      while (left > 0) {
        if (rest.length === 0 && !(await more())) fail();
        const piece = rest.subarray(0, left);
        rest = rest.subarray(piece.length);
        left -= piece.length;
        if (piece.length > 0) yield piece;
      }
    },
    drain: async (): Promise<void> => {
      do rest = Buffer.alloc(0);
      while (await more());
    },
  };
}
