import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJournalFiles } from './files.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'svc-asr-journal-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const NOON = Date.UTC(2026, 0, 31, 12);
const DAY_MS = 86_400_000;
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

test("JournalFiles.append writes each line to the file of its day and writer, and only the file's owner can read it", async () => {
  const files = createJournalFiles(folder, 'operator-1');
  await files.append([
    { text: 'a', atMs: NOON },
    { text: 'b', atMs: NOON + DAY_MS },
    { text: 'c', atMs: NOON },
  ]);
  await files.append([{ text: 'd', atMs: NOON }]);
  expect(readdirSync(folder)).toEqual(['2026-01-31.operator-1.jsonl', '2026-02-01.operator-1.jsonl']);
  expect(read('2026-01-31.operator-1.jsonl')).toBe('a\nc\nd\n');
  expect(read('2026-02-01.operator-1.jsonl')).toBe('b\n');
  expect(statSync(join(folder, '2026-01-31.operator-1.jsonl')).mode & 0o777).toBe(0o600);
});

test('JournalFiles.append starts a new line if the previous process crashed in the middle of a line', async () => {
  await createJournalFiles(folder, 'w').append([{ text: '{"id":"1-0"}', atMs: NOON }]);
  appendFileSync(join(folder, '2026-01-31.w.jsonl'), '{"id":"2-');
  await createJournalFiles(folder, 'w').append([{ text: '{"id":"2-0"}', atMs: NOON }]);
  expect(read('2026-01-31.w.jsonl')).toBe('{"id":"1-0"}\n{"id":"2-\n{"id":"2-0"}\n');
});

test('JournalFiles.append creates a missing folder and rejects if it cannot write', async () => {
  await createJournalFiles(join(folder, 'deep', 'er'), 'w').append([{ text: 'a', atMs: NOON }]);
  expect(read('deep/er/2026-01-31.w.jsonl')).toBe('a\n');
  const blocked = createJournalFiles(join(folder, 'deep', 'er', '2026-01-31.w.jsonl'), 'w');
  await expect(blocked.append([{ text: 'a', atMs: NOON }])).rejects.toThrow();
});
