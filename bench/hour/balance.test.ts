import { checkCharge, checkCoverage } from './balance.ts';

const session = (audioMs: number, billableMs: number, status = 'completed') => ({
  status,
  audio_ms: audioMs,
  billable_ms: billableMs,
});
const credits = (consumedMs: number, reservedMs = 0) => ({
  granted_ms: 100_000,
  available_ms: 100_000 - consumedMs - reservedMs,
  reserved_ms: reservedMs,
  consumed_ms: consumedMs,
});
const sessions = [session(30_000, 30_000), session(31_500, 32_000)];

test('checkCharge returns the charged seconds, and how many milliseconds of audio were sent twice', () => {
  expect(checkCharge(sessions, credits(62_000), 60_000)).toEqual({ sessions: 2, chargedSeconds: 62, repeatedMs: 1500 });
  expect(checkCharge(sessions, credits(62_000), 59_500).repeatedMs).toBe(2000);
});

test.each([
  ['more than 2 s of audio that was sent twice', sessions, credits(62_000), 59_499, '2001 ms were sent twice'],
  ['audio that no session received', sessions, credits(62_000), 61_501, '1 ms of the audio'],
  ['a charge that is not rounded up', [session(1500, 1500)], credits(1500), 1500, 'charged as 1500'],
  ['a session that failed', [session(1000, 1000, 'failed')], credits(1000), 1000, 'failed instead of'],
  ['an account that consumed more than its sessions', sessions, credits(63_000), 60_000, 'the account consumed 63000'],
  ['credit that is still reserved', sessions, credits(62_000, 1000), 60_000, 'does not balance'],
])('checkCharge refuses %s', (_case, charged, account, durationMs, message) => {
  expect(() => checkCharge(charged, account, durationMs)).toThrow(message);
});

test('checkCoverage accepts segments that follow each other and refuses gaps, overlaps and a missing end', () => {
  const segment = (start: number, end: number) => ({ start_ms: start, end_ms: end, text: '' });
  expect(() => checkCoverage([segment(0, 10), segment(10, 30)], 30)).not.toThrow();
  expect(() => checkCoverage([segment(0, 10), segment(11, 30)], 30)).toThrow('starts at 11 ms');
  expect(() => checkCoverage([segment(0, 10), segment(9, 30)], 30)).toThrow('starts at 9 ms');
  expect(() => checkCoverage([segment(0, 10)], 30)).toThrow('end at 10 ms');
});
