import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JournalEntry } from '@svc-asr/ledger';
import { buildLine } from './line.ts';
import { countTenantLines, removeTenantLines } from './tenant-lines.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'svc-asr-journal-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const entry: JournalEntry = {
  id: '1767225600000-0',
  type: 'grant',
  subject: 'acme',
  granted: 1,
  reserved: 0,
  consumed: 0,
  detail: '"tenant":"acme"',
};
const line = (tenant: string) => `${buildLine(tenant, entry)}\n`;
const write = (name: string, ...texts: string[]) => writeFileSync(join(folder, name), texts.join(''), { mode: 0o600 });
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

test('removeTenantLines removes the lines of one tenant from the files of all writers and keeps all other lines', async () => {
  write('2026-01-01.a.jsonl', line('acme'), line('acme-2'), line('acme'), line('other'));
  write('2026-01-02.b.jsonl', line('other'), line('acme'));
  write('2026-01-03.a.jsonl', line('other'));
  write('notes.txt', line('acme'));
  expect(await countTenantLines(folder, 'acme')).toBe(3);
  expect(await removeTenantLines(folder, 'acme')).toBe(3);
  expect(await countTenantLines(folder, 'acme')).toBe(0);
  expect(read('2026-01-01.a.jsonl')).toBe(line('acme-2') + line('other'));
  expect(read('2026-01-02.b.jsonl')).toBe(line('other'));
  expect(statSync(join(folder, '2026-01-01.a.jsonl')).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toHaveLength(4);
  expect(await removeTenantLines(folder, 'acme')).toBe(0);
});

test('removeTenantLines deletes a file in which no line is left', async () => {
  write('2026-01-01.a.jsonl', line('acme'));
  expect(await removeTenantLines(folder, 'acme')).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

test('removeTenantLines removes a line that a crash cut off after the name of the tenant', async () => {
  write('2026-01-01.a.jsonl', '{"tenant":"acme","id":"17\n', '{"tenant":"acme\n', line('other'), '{"tenant":"acme","i');
  expect(await removeTenantLines(folder, 'acme')).toBe(3);
  expect(read('2026-01-01.a.jsonl')).toBe(line('other'));
});

test('countTenantLines includes a file that an interrupted removal left behind, and removeTenantLines deletes this file', async () => {
  write('2026-01-01.a.jsonl', line('other'));
  write('2026-01-01.a.jsonl.temporary', line('acme'));
  expect(await countTenantLines(folder, 'acme')).toBe(1);
  await removeTenantLines(folder, 'acme');
  expect(readdirSync(folder)).toEqual(['2026-01-01.a.jsonl']);
});

test('countTenantLines and removeTenantLines return 0 for a folder that does not exist yet', async () => {
  expect(await countTenantLines(join(folder, 'none'), 'acme')).toBe(0);
  expect(await removeTenantLines(join(folder, 'none'), 'acme')).toBe(0);
});
