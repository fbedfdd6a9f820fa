import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pack } from '../testing/tar.ts';
import { safePath } from './path.ts';
import { readTar } from './tar.ts';

/** Reads an archive that arrives in pieces of `pieceBytes`. Returns the contents by path. */
async function readAll(archive: Buffer, pieceBytes = 700): Promise<Record<string, string>> {
  const pieces = Array.from({ length: Math.ceil(archive.length / pieceBytes) }, (_, at) =>
    archive.subarray(at * pieceBytes, (at + 1) * pieceBytes),
  );
  const found: Record<string, string> = {};
  for await (const { path, type, body } of readTar(Readable.from(pieces))) {
    const parts: Buffer[] = [];
    for await (const part of body) parts.push(part);
    found[path] = type === 'folder' ? 'a folder' : Buffer.concat(parts).toString();
  }
  return found;
}

test.each([1, 511, 512, 513, 100_000])(
  'readTar reads files and folders from pieces of %i bytes',
  async (pieceBytes) => {
    const archive = pack([
      { path: 'model/', type: '5' },
      { path: 'model/manifest.json', content: '{}' },
      { path: 'model/empty' },
      { path: 'model/large', content: 'x'.repeat(5000) },
    ]);
    expect(await readAll(archive, pieceBytes)).toEqual({
      'model/': 'a folder',
      'model/manifest.json': '{}',
      'model/empty': '',
      'model/large': 'x'.repeat(5000),
    });
  },
);

test.each(['ustar', 'gnu', 'pax', 'v7'])(
  'readTar reads archives that tar wrote in the format %s, with long names if the format supports them',
  async (format) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-asr-tar-'));
    try {
      const long = format === 'gnu' || format === 'pax' ? `${'long/'.repeat(60)}${'n'.repeat(200)}` : 'short/name';
      mkdirSync(join(folder, dirname(long)), { recursive: true });
      writeFileSync(join(folder, long), 'inside');
      const packed = spawnSync('tar', [`--format=${format}`, '-cf', '-', '-C', folder, '.'], { maxBuffer: 1e8 });
      expect(packed.status).toBe(0);
      expect((await readAll(packed.stdout))[`./${long}`]).toBe('inside');
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

test.each([
  ['a link', [{ path: 'a', type: '2', target: '/etc/passwd' }]],
  ['a link', [{ path: 'a', type: '1', target: '../a' }]],
  ['a special file', [{ path: 'a', type: '3' }]],
  ['a special file', [{ path: 'a', type: 'S' }]],
])('readTar refuses %s', async (what, entries) => {
  await expect(readAll(pack(entries))).rejects.toThrow(what);
});

test('readTar refuses data that is not an archive, is damaged or is truncated', async () => {
  const archive = pack([{ path: 'a', content: 'x'.repeat(3000) }]);
  await expect(readAll(Buffer.from('x'.repeat(2000)))).rejects.toThrow('not a tar archive');
  await expect(readAll(archive.subarray(0, 2000))).rejects.toThrow('truncated');
  archive[0] = 1;
  await expect(readAll(archive)).rejects.toThrow('damaged');
});

// If readTar accepted a fractional size, it would never finish reading the file. A negative size or NaN would disable
// the limit for the unpacked size.
test.each(['1.5', '-1000000000', 'many', '', '1e30', '9007199254740992'])(
  'readTar refuses a pax header with the size %j',
  async (size) => {
    const record = ` size=${size}\n`;
    const content = `${record.length + 2}${record}`;
    await expect(readAll(pack([{ path: 'p', type: 'x', content }, { path: 'a' }]))).rejects.toThrow('damaged');
  },
);

test('readTar refuses a size in the binary form of GNU that is not a safe integer', async () => {
  const archive = pack([{ path: 'a' }]);
  archive.fill(0xff, 124, 136);
  archive.write('        ', 148);
  const sum = archive.subarray(0, 512).reduce((all, byte) => all + byte, 0);
  archive.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  await expect(readAll(archive)).rejects.toThrow('damaged');
});

test.each(['/etc/passwd', '../a', 'a/../../b', 'a/..', 'a\\b', 'a\0b', 'x'.repeat(2000)])(
  'safePath refuses the path %j',
  (path) => {
    expect(() => safePath(path)).toThrow('leads out of it');
  },
);

test.each([
  ['./a/./b', 'a/b'],
  ['a//b/', 'a/b'],
  ['./', ''],
  ['...', '...'],
])('safePath converts %j to %j', (path, safe) => {
  expect(safePath(path)).toBe(safe);
});
