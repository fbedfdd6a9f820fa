import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSlotsMemory } from './slots-memory.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'svc-asr-slots-'))));
afterEach(() => rmSync(folder, { recursive: true }));

test('the slots memory survives a restart of the operator and distinguishes revisions', () => {
  const file = join(folder, 'new', 'slots');
  const first = openSlotsMemory(file);
  first.put({ model: 'm', revision: 'a' }, 40);
  first.put({ model: 'n', revision: 'a' }, undefined);
  const next = openSlotsMemory(file);
  expect(next.get({ model: 'm', revision: 'a' })).toBe(40);
  expect(next.get({ model: 'm', revision: 'b' })).toBeUndefined();
  expect(next.get({ model: 'n', revision: 'a' })).toBeUndefined();
});

test('the slots memory treats a damaged file as empty', () => {
  const file = join(folder, 'slots');
  writeFileSync(file, '{"m": {"revision": 1, "slots": "many"}, ');
  expect(openSlotsMemory(file).get({ model: 'm', revision: 'a' })).toBeUndefined();
});
