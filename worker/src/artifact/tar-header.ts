import { ArtifactError } from './error.ts';

/** Header of an archive entry. */
export interface TarHeader {
  kind: 'file' | 'folder' | 'link' | 'special' | 'pax' | 'longName' | 'ignored';
  path: string;
  size: number;
}

const KINDS: Readonly<Record<string, TarHeader['kind']>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'link',
  '2': 'link',
  '5': 'folder',
  x: 'pax',
  L: 'longName',
  // These are global pax headers and long link targets.
  g: 'ignored',
  K: 'ignored',
};
/** Position of the checksum in the header. To compute the checksum, count the bytes at this position as spaces. */
const CHECKSUM = { from: 148, to: 156 };

/** Parses a header block. Returns undefined if all bytes are zero, which marks the end of the archive. */
export function parseHeader(block: Buffer): TarHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  const sum = block.reduce((all, byte, at) => all + (at >= CHECKSUM.from && at < CHECKSUM.to ? 0x20 : byte), 0);
  if (number(block, CHECKSUM.from, 8) !== sum) throw damaged();
  const isUstar = text(block, 257, 5) === 'ustar';
  const prefix = isUstar ? text(block, 345, 155) : '';
  const name = text(block, 0, 100);
  const path = prefix === '' || text(block, 257, 8) === 'ustar  ' ? name : `${prefix}/${name}`;
  const kind = KINDS[String.fromCharCode(block[156] ?? 0)] ?? 'special';
  // Old formats have no type for folders and mark them with a trailing slash.
  return { kind: kind === 'file' && path.endsWith('/') ? 'folder' : kind, path, size: number(block, 124, 12) };
}

/** Parses the records of a pax header: `LENGTH NAME=VALUE\n`. */
export function parsePax(records: string): { path?: string; size?: number } {
  const found: { path?: string; size?: number } = {};
  const bytes = Buffer.from(records);
  for (let at = 0; at < bytes.length;) {
    const length = Number.parseInt(bytes.subarray(at, at + 20).toString(), 10);
    if (!(length > 0)) break;
    const record = bytes.subarray(at, at + length).toString();
    const [, name, value = ''] = /^\d+ ([^=]+)=(.*)\n$/s.exec(record) ?? [];
    if (name === 'path') found.path = value;
    if (name === 'size') found.size = sizeFrom(/^\d+$/.test(value) ? Number(value) : NaN);
    at += length;
  }
  return found;
}

function text(block: Buffer, at: number, length: number): string {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.subarray(0, end === -1 ? length : end).toString('utf8');
}

/** Reads an octal number. If the first bit of the field is set, the number has GNU's binary form. */
function number(block: Buffer, at: number, length: number): number {
  const field = block.subarray(at, at + length);
  const first = field[0] ?? 0;
  if ((first & 0x80) !== 0) {
    return sizeFrom(field.subarray(1).reduce((value, byte) => value * 256 + byte, first & 0x7f));
  }
  const digits = text(block, at, length).trim();
  return sizeFrom(digits === '' ? 0 : Number.parseInt(digits, 8));
}

/**
 * Returns a number if it can be a size, and throws otherwise. With a fraction as its size, reading a file would never
 * end. A negative number or NaN would disable the limit for the unpacked size.
 */
function sizeFrom(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw damaged();
  return value;
}

function damaged(): ArtifactError {
  return new ArtifactError('the archive is damaged, or not a tar archive');
}
