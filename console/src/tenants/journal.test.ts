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

const never = () => Promise.reject(new Error('read too far'));

test('a page is read when the reader has taken the one before, and not earlier', async () => {
  const asked: string[] = [];
  const read = (after: string) => Promise.resolve(entries(2, 2 * asked.push(after)));
  const pages = journalLines('acme', entries(2), 2, read);
  expect((await pages.next()).value).toContain('"subject":"g0"');
  expect(asked).toEqual([]);
  expect((await pages.next()).value).toContain('"subject":"g2"');
  expect(asked).toEqual(['1767225600001-0']);
  await pages.return(undefined);
  expect(asked).toHaveLength(1);
});

test('a page that is not full is the last', async () => {
  const texts = [];
  for await (const text of journalLines('acme', entries(1), 2, never)) texts.push(text);
  expect(texts).toEqual([
    '{"tenant":"acme","id":"1767225600000-0","at":"2026-01-01T00:00:00.000Z","type":"grant","subject":"g0","granted_ms":1,"reserved_ms":0,"consumed_ms":0,"detail":""}\n',
  ]);
});

test('an empty journal has no lines, and one that ends with a full page one more read', async () => {
  const count = async (first: JournalEntry[], read: () => Promise<JournalEntry[]>) => {
    let pages = 0;
    for await (const text of journalLines('acme', first, 2, read)) pages += text === '' ? 0 : 1;
    return pages;
  };
  expect(await count([], never)).toBe(0);
  expect(await count(entries(2), () => Promise.resolve([]))).toBe(1);
});

test('an error in the middle reaches the reader', async () => {
  const pages = journalLines('acme', entries(2), 2, never);
  await pages.next();
  await expect(pages.next()).rejects.toThrow('read too far');
});
