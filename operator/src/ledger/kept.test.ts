import { isExpired, markDeleted } from './kept.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2030, 0, 10);
const at = (days: number) => new Date(NOW_MS + days * DAY_MS).toISOString();
const seen = { consumedMs: 5, checkpointAt: at(-20) };
const mark = (kept: Parameters<typeof markDeleted>[0], present: string[]) =>
  markDeleted(kept, new Set(present), NOW_MS, 3 * DAY_MS);

test('markDeleted records the time of a deletion, and keeps this time in later calls', () => {
  expect(mark({ acme: seen, other: seen }, ['other'])).toEqual({ acme: { ...seen, goneAt: at(0) }, other: seen });
  const earlier = { ...seen, goneAt: at(-1) };
  expect(mark({ acme: earlier }, [])).toEqual({ acme: earlier });
});

test('markDeleted keeps the checkpoint of a tenant that is recreated within the retention time', () => {
  expect(mark({ acme: { ...seen, goneAt: at(-2) } }, ['acme'])).toEqual({ acme: seen });
});

test('markDeleted drops a checkpoint after the retention time, even if a new tenant has the same name', () => {
  const over = { ...seen, goneAt: at(-3) };
  expect(mark({ acme: over }, [])).toEqual({});
  expect(mark({ acme: over }, ['acme'])).toEqual({});
  expect([
    isExpired(over, NOW_MS, 3 * DAY_MS),
    isExpired(over, NOW_MS - 1, 3 * DAY_MS),
    isExpired(seen, NOW_MS, 0),
  ]).toEqual([true, false, false]);
});
