import { spawnSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImageFile } from './image-file.ts';
import { contentKey, packLayer } from './layer.ts';
import { tarPieces, withFolders } from './tar.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'svc-asr-tar-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const LONG = `${'deep/'.repeat(60)}file.js`;
const FILES: ImageFile[] = [
  { path: 'usr/bin/program', mode: 0o755, from: { text: 'x'.repeat(1000) } },
  { path: 'app/link', mode: 0o777, from: { link: '../usr/bin/program' } },
  { path: 'app/far', mode: 0o777, from: { link: LONG } },
  { path: LONG, mode: 0o644, from: { text: 'deep' } },
  { path: 'tmp', mode: 0o1777, from: 'folder' },
  { path: 'ünïcode', mode: 0o644, from: { text: '' } },
];

test('the archive is read by tar as it was meant', () => {
  writeFileSync(join(folder, 'a.tar'), Buffer.concat([...tarPieces(FILES)]));
  const { status, stderr } = spawnSync('tar', ['-xpf', 'a.tar'], { cwd: folder, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  expect(readFileSync(join(folder, 'usr/bin/program'), 'utf8')).toBe('x'.repeat(1000));
  expect(lstatSync(join(folder, 'usr/bin/program')).mode & 0o7777).toBe(0o755);
  expect(lstatSync(join(folder, 'usr/bin/program')).mtimeMs).toBe(0);
  expect(lstatSync(join(folder, 'tmp')).mode & 0o7777).toBe(0o1777);
  expect(readlinkSync(join(folder, 'app/link'))).toBe('../usr/bin/program');
  expect(readlinkSync(join(folder, 'app/far'))).toBe(LONG);
  expect(readFileSync(join(folder, LONG), 'utf8')).toBe('deep');
  expect(readFileSync(join(folder, 'ünïcode'), 'utf8')).toBe('');
});

test('folders come before what they hold', () => {
  const paths = withFolders([{ path: 'a/b/c', mode: 0o644, from: { text: '' } }]).map(({ path }) => path);
  expect(paths).toEqual(['a', 'a/b', 'a/b/c']);
});

test('the same files are packed the same and only once', async () => {
  const first = await packLayer({ name: 'one', files: FILES }, folder);
  const packedAt = lstatSync(first.file).mtimeMs;
  const again = await packLayer({ name: 'two', files: FILES.toReversed() }, folder);
  expect(again).toEqual({ ...first, name: 'two' });
  expect(lstatSync(again.file).mtimeMs).toBe(packedAt);
  expect(first.bytes).toBe(lstatSync(first.file).size);
  expect(first.unpackedBytes).toBeGreaterThan(first.bytes);
});

test('another content, name or right is another layer', async () => {
  const keys = await Promise.all([
    contentKey([{ path: 'a', mode: 0o644, from: { text: 'x' } }]),
    contentKey([{ path: 'a', mode: 0o644, from: { text: 'y' } }]),
    contentKey([{ path: 'b', mode: 0o644, from: { text: 'x' } }]),
    contentKey([{ path: 'a', mode: 0o755, from: { text: 'x' } }]),
    contentKey([{ path: 'a', mode: 0o644, from: { link: 'x' } }]),
  ]);
  expect(new Set(keys).size).toBe(keys.length);
});
