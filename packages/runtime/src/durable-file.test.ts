import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareFolder, readWhole, removeDurably, writeDurably } from './durable-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-asr-durable-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('writeDurably replaces a file by one that only its owner can read, and leaves no temporary file', async () => {
  const file = join(folder, 'deep', 'file');
  expect(await readWhole(file)).toBeUndefined();
  await writeDurably(file, 'a longer text');
  await writeDurably(file, 'short');
  expect(await readWhole(file)).toBe('short');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, 'deep'))).toEqual(['file']);
  await removeDurably(file);
  expect(await readWhole(file)).toBeUndefined();
});

test('writeDurably keeps the old file and leaves no temporary file if the write fails', async () => {
  const file = join(folder, 'file');
  mkdirSync(join(file, 'in the way'), { recursive: true });
  await expect(writeDurably(file, 'text')).rejects.toThrow();
  expect(readdirSync(folder)).toEqual(['file']);
});

test('prepareFolder removes the temporary files of killed processes, and no other files', async () => {
  writeFileSync(join(folder, '.file.0123.temporary'), 'half');
  writeFileSync(join(folder, 'file'), 'whole');
  await prepareFolder(folder);
  expect(readdirSync(folder)).toEqual(['file']);
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('whole');
});
