import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSlotsMemory } from './slots-memory.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'svc-asr-slots-'))));
afterEach(() => rmSync(folder, { recursive: true }));

test('the slots memory survives a restart of the operator', () => {
  const file = join(folder, 'new', 'slots');
  const measurements = [{ revision: 'a', device: 'NVIDIA H200', slots: 40 }];
  openSlotsMemory(file).put('m', measurements);
  const next = openSlotsMemory(file);
  expect(next.get('m')).toEqual(measurements);
  expect(next.get('n')).toBeUndefined();
});

test('the slots memory treats a damaged file as empty', () => {
  const file = join(folder, 'slots');
  writeFileSync(file, '{"m": [{"revision": "a", "slots": 3}], ');
  expect(openSlotsMemory(file).get('m')).toBeUndefined();
});

test('the slots memory ignores damaged entries and entries of an earlier version', () => {
  const file = join(folder, 'slots');
  writeFileSync(file, '{"m": [{"revision": 1, "slots": "many"}, null], "n": {"revision": "a", "slots": 3}}');
  const memory = openSlotsMemory(file);
  expect([memory.get('m'), memory.get('n')]).toEqual([[], []]);
});
