import { ArtifactError } from '../../../worker/src/artifact/error.ts';
import { safePath } from '../../../worker/src/artifact/path.ts';
import { readTar } from '../../../worker/src/artifact/tar.ts';
import { pack } from '../../../worker/src/testing/tar.ts';
import { check } from '../engine/target.ts';
import type { FuzzTarget } from '../engine/target.ts';

const BLOCK = 512;
const CHECKSUM_AT = 148;
const SIZE_AT = 124;

/**
 * Writes valid checksums into the headers. Otherwise almost every changed archive would be refused for its checksum.
 */
function repair(archive: Buffer): void {
  for (let at = 0; at + BLOCK <= archive.length;) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.some((byte) => byte !== 0)) {
      header.write('        ', CHECKSUM_AT, 'latin1');
      const sum = header.reduce((all, byte) => all + byte, 0);
      header.write(`${sum.toString(8).padStart(6, '0')}\0 `, CHECKSUM_AT, 'latin1');
    }
    const size = Number.parseInt(header.toString('latin1', SIZE_AT, SIZE_AT + 12), 8);
    at += BLOCK * (1 + Math.ceil((size > 0 ? Math.min(size, archive.length) : 0) / BLOCK));
  }
}

async function* split(archive: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < archive.length; at += pieceBytes) {
    yield await Promise.resolve(archive.subarray(at, at + pieceBytes));
  }
}

/** Reads an archive. Returns the paths and sizes of its entries, and whether the archive was refused. */
async function readEntries(archive: Buffer, pieceBytes: number): Promise<string> {
  const entries: string[] = [];
  try {
    for await (const { path, type, size, body } of readTar(split(archive, pieceBytes))) {
      check(Number.isSafeInteger(size) && size >= 0, `an entry has the size ${size}`);
      const safe = safePath(path);
      check(!`/${safe}/`.includes('/../') && !safe.startsWith('/'), 'a path leads out of the folder');
      let bytes = 0;
      for await (const piece of body) bytes += piece.length;
      check(bytes === size, `an entry of ${size} bytes has a body of ${bytes} bytes`);
      entries.push(`${type} ${size} ${safe}`);
    }
  } catch (error) {
    if (!(error instanceof ArtifactError)) throw error;
    entries.push('refused');
  }
  return entries.join('\n');
}

const pax = (record: string) =>
  pack([
    { path: 'p', type: 'x', content: record },
    { path: 'a', content: 'body' },
  ]);

export const target: FuzzTarget = {
  property: 'readTar throws only ArtifactError, ends, and returns bodies that have the size of their entries.',
  seeds: [
    pack([
      { path: 'model/', type: '5' },
      { path: 'model/a', content: 'text' },
    ]),
    pax('12 path=bcd\n'),
    pax('10 size=2\n'),
    pack([
      { path: 'p', type: 'L', content: `${'long/'.repeat(30)}name` },
      { path: 'a', content: 'body' },
    ]),
    pack([
      { path: 'g', type: 'g', content: '10 size=2\n' },
      { path: 'a', content: 'body' },
    ]),
  ].map((archive) => Buffer.concat([Buffer.from([1, 50]), archive])),
  dictionary: ['10 size=2\n', 'path=', 'size=', '\n', 'ustar\0', 'ustar  ', '../', '/', '\0', Buffer.alloc(BLOCK)],
  maxBytes: 8192,
  run: async (input) => {
    const [mode = 0, piece = 0] = input;
    const archive = input.subarray(2);
    if (mode % 4 !== 0) repair(archive);
    const whole = await readEntries(archive, Math.max(1, archive.length));
    const inPieces = await readEntries(archive, 100 + piece * 4);
    check(whole === inPieces, 'the entries depend on the pieces');
  },
};
