import { readFileSync } from 'node:fs';
import type { ImageFile } from './image-file.ts';

const BLOCK = 512;
const NAME_BYTES = 100;
const LINK_BYTES = 100;
const TYPES = { file: '0', link: '2', folder: '5', extended: 'x' } as const;

/** The content of a file of an image; empty for links and folders. */
export function contentOf({ from }: ImageFile): Buffer {
  if (from === 'folder' || 'link' in from) return Buffer.alloc(0);
  return 'text' in from ? Buffer.from(from.text) : readFileSync(from.file);
}

/**
 * The pieces of a tar archive of the files, with the folders that they lie in. It depends on nothing but the files:
 * everything is root's and was last changed at the beginning of 1970.
 */
export function* tarPieces(files: readonly ImageFile[]): Generator<Buffer> {
  for (const file of withFolders(files)) {
    const content = contentOf(file);
    const link = file.from !== 'folder' && 'link' in file.from ? file.from.link : '';
    const type = file.from === 'folder' ? 'folder' : link === '' ? 'file' : 'link';
    const path = type === 'folder' ? `${file.path}/` : file.path;
    const long = longNames(path, link);
    if (long !== '') {
      yield header({ path: 'extended', mode: 0o644, size: Buffer.byteLength(long), type: TYPES.extended, link: '' });
      yield padded(Buffer.from(long));
    }
    yield header({ path, mode: file.mode, size: content.length, type: TYPES[type], link });
    if (content.length > 0) yield padded(content);
  }
  yield Buffer.alloc(2 * BLOCK);
}

/** The files in order, each folder before what it holds. */
export function withFolders(files: readonly ImageFile[]): ImageFile[] {
  const all = new Map<string, ImageFile>();
  for (const file of files) {
    const parts = file.path.split('/');
    for (let depth = 1; depth < parts.length; depth++) {
      const path = parts.slice(0, depth).join('/');
      if (!all.has(path)) all.set(path, { path, mode: 0o755, from: 'folder' });
    }
    all.set(file.path, file);
  }
  return [...all.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Records in the extended format, for names that the plain one has no room for; empty where it has. */
function longNames(path: string, link: string): string {
  const records = {
    ...(isLong(path, NAME_BYTES) ? { path } : {}),
    ...(isLong(link, LINK_BYTES) ? { linkpath: link } : {}),
  };
  return Object.entries(records)
    .map(([name, value]) => record(`${name}=${value}\n`))
    .join('');
}

function isLong(text: string, bytes: number): boolean {
  return Buffer.byteLength(text) > bytes;
}

/** A record begins with its own length, the digits of that length included. */
function record(text: string): string {
  const length = Buffer.byteLength(text) + 1;
  let total = length + String(length).length;
  if (String(total).length > String(length).length) total = length + String(total).length;
  return `${total} ${text}`;
}

function header(entry: { path: string; mode: number; size: number; type: string; link: string }): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  // A longer name stands in the extended header; this one is for programs that do not know those.
  block.write(entry.path, 0, NAME_BYTES, 'utf8');
  octal(entry.mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(entry.size, 124, 12);
  octal(0, 136, 12);
  block.write(' '.repeat(8), 148, 'latin1');
  block.write(entry.type, 156, 'latin1');
  block.write(entry.link, 157, LINK_BYTES, 'utf8');
  block.write('ustar\u000000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

function padded(content: Buffer): Buffer {
  const rest = content.length % BLOCK;
  return rest === 0 ? content : Buffer.concat([content, Buffer.alloc(BLOCK - rest)]);
}
