import { isReadable, noteRead, noteScan, whyIncomplete } from './records.ts';
import type { FileRecord, FileRecords } from './records.ts';
import type { Scan, Sighting } from './scan.ts';

const QUIET_MS = 300;
const GRACE_MS = 1000;

const sighting = (stamp: string, modifiedMs = 0): Sighting => ({ path: 'f/a.yaml', folder: 'f', stamp, modifiedMs });
const scan = (...sightings: Sighting[]): Scan => ({ sightings, unreadable: new Map() });
const missingFolder: Scan = { sightings: [], unreadable: new Map([['f', 'it does not exist']]) };
const valid = { fingerprint: 'x', parsed: { ok: true as const, found: [] } };
const bad = {
  fingerprint: 'y',
  parsed: { ok: false as const, problems: [{ document: 1, line: 1, field: 'kind', message: 'is wrong' }] },
};

function setUp(): { records: FileRecords; record: () => FileRecord } {
  const records: FileRecords = new Map();
  return { records, record: () => records.get('f/a.yaml')! };
}

test.each([
  ['was modified long ago', 10_000, 0, true],
  ['was modified just now', 99_900, 0, false],
  ['was modified just now and has not changed since', 99_900, 300, true],
  ['has a modification time in the future', 200_000, 0, false],
  ['has a modification time in the future and has not changed since', 200_000, 300, true],
])('isReadable for a file that %s (modified at %d, unchanged for %d ms) is %s', (_, modifiedMs, laterMs, expected) => {
  const { records, record } = setUp();
  noteScan(records, scan(sighting('1', modifiedMs)), 50, GRACE_MS);
  noteScan(records, scan(sighting('1', modifiedMs)), 50 + laterMs, GRACE_MS);
  expect(isReadable(record(), 50 + laterMs, 100_000, QUIET_MS)).toBe(expected);
});

test('isReadable returns false after a file was read, and true after the file has changed', () => {
  const { records, record } = setUp();
  noteScan(records, scan(sighting('1')), 0, GRACE_MS);
  noteRead(record(), '1', valid);
  expect(isReadable(record(), 5000, 10_000, QUIET_MS)).toBe(false);
  noteScan(records, scan(sighting('2')), 6000, GRACE_MS);
  expect(isReadable(record(), 6000, 10_000, QUIET_MS)).toBe(true);
});

test('isReadable returns true for a file whose last read failed, so that the read is retried', () => {
  const { records, record } = setUp();
  noteScan(records, scan(sighting('1')), 0, GRACE_MS);
  noteRead(record(), '1', { ...bad, unreadable: true });
  expect(isReadable(record(), 5000, 10_000, QUIET_MS)).toBe(true);
});

test('the record of a file keeps its last valid content while the file is invalid', () => {
  const { records, record } = setUp();
  noteScan(records, scan(sighting('1')), 0, GRACE_MS);
  noteRead(record(), '1', valid);
  noteRead(record(), '2', bad);
  expect(record()).toMatchObject({ found: [], problems: bad.parsed.problems });
  noteRead(record(), '3', valid);
  expect(record().problems).toEqual([]);
});

test('noteScan drops a missing file after the grace time, unless the file reappears before that', () => {
  const { records } = setUp();
  noteScan(records, scan(sighting('1')), 0, GRACE_MS);
  noteScan(records, scan(), 100, GRACE_MS);
  noteScan(records, scan(), 1099, GRACE_MS);
  expect(records.size).toBe(1);
  noteScan(records, scan(sighting('1')), 1100, GRACE_MS);
  noteScan(records, scan(), 1200, GRACE_MS);
  noteScan(records, scan(), 2199, GRACE_MS);
  expect(records.size).toBe(1);
  noteScan(records, scan(), 2200, GRACE_MS);
  expect(records.size).toBe(0);
});

test('noteScan keeps the records of the files in a missing folder, even after the grace time', () => {
  const { records, record } = setUp();
  noteScan(records, scan(sighting('1')), 0, GRACE_MS);
  noteScan(records, missingFolder, 100, GRACE_MS);
  noteScan(records, missingFolder, 100_000, GRACE_MS);
  expect(record().absentSinceMs).toBeUndefined();
});

test('whyIncomplete returns undefined after every folder was listed and every file was valid at least once, even if a file is now invalid', () => {
  const { records, record } = setUp();
  noteScan(records, missingFolder, 0, GRACE_MS);
  expect(whyIncomplete(records, missingFolder)).toBe('folder f: it does not exist');
  const present = scan(sighting('1'));
  noteScan(records, present, 1, GRACE_MS);
  noteRead(record(), '1', bad);
  expect(whyIncomplete(records, present)).toBe('file f/a.yaml has not been valid yet');
  noteRead(record(), '2', valid);
  noteRead(record(), '3', bad);
  expect(whyIncomplete(records, present)).toBeUndefined();
});
