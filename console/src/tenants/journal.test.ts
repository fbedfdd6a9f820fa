import type { JournalEntry } from '@svc-asr/ledger';
import { journalLines } from './journal.ts';

const entries = (count: number, from = 0): JournalEntry[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `${1_767_225_600_000 + from + n}-0`,
    type: 'grant',
    subject: `g${from + n}`,
    granted: 1,
    reserved: 0,
    consumed: 0,
    detail: '',
  }));

const never = () => Promise.reject(new Error('unexpected read'));

test('journalLines reads a page only after the reader has consumed the previous page', async () => {
  const requested: string[] = [];
  const read = (after: string) => Promise.resolve(entries(2, 2 * requested.push(after)));
  const pages = journalLines('acme', entries(2), 2, read);
  expect((await pages.next()).value).toContain('"subject":"g0"');
  expect(requested).toEqual([]);
  expect((await pages.next()).value).toContain('"subject":"g2"');
  expect(requested).toEqual(['1767225600001-0']);
  await pages.return(undefined);
  expect(requested).toHaveLength(1);
});

test('journalLines stops after a page that is not full', async () => {
  const texts = [];
  for await (const text of journalLines('acme', entries(1), 2, never)) texts.push(text);
  expect(texts).toEqual([
    '{"tenant":"acme","id":"1767225600000-0","at":"2026-01-01T00:00:00.000Z","type":"grant","subject":"g0","granted_ms":1,"reserved_ms":0,"consumed_ms":0,"detail":""}\n',
  ]);
});

test('journalLines yields nothing for an empty journal and reads once more after a full page', async () => {
  const count = async (first: JournalEntry[], read: () => Promise<JournalEntry[]>) => {
    let pages = 0;
    for await (const text of journalLines('acme', first, 2, read)) pages += text === '' ? 0 : 1;
    return pages;
  };
  expect(await count([], never)).toBe(0);
  expect(await count(entries(2), () => Promise.resolve([]))).toBe(1);
});

test('journalLines passes a read error on to the reader', async () => {
  const pages = journalLines('acme', entries(2), 2, never);
  await pages.next();
  await expect(pages.next()).rejects.toThrow('unexpected read');
});
