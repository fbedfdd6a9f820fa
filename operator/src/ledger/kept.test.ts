import { isOver, markGone } from './kept.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2030, 0, 10);
const at = (days: number) => new Date(NOW_MS + days * DAY_MS).toISOString();
const seen = { consumedMs: 5, checkpointAt: at(-20) };
const mark = (kept: Parameters<typeof markGone>[0], present: string[]) =>
  markGone(kept, new Set(present), NOW_MS, 3 * DAY_MS);

test('a tenant that is not there any more is noted with the time, once', () => {
  expect(mark({ acme: seen, other: seen }, ['other'])).toEqual({ acme: { ...seen, goneAt: at(0) }, other: seen });
  const earlier = { ...seen, goneAt: at(-1) };
  expect(mark({ acme: earlier }, [])).toEqual({ acme: earlier });
});

test('one that is back within the retention time takes up where it was', () => {
  expect(mark({ acme: { ...seen, goneAt: at(-2) } }, ['acme'])).toEqual({ acme: seen });
});

test('after the retention time nothing is left of it, also for one that is made anew under its name', () => {
  const over = { ...seen, goneAt: at(-3) };
  expect(mark({ acme: over }, [])).toEqual({});
  expect(mark({ acme: over }, ['acme'])).toEqual({});
  expect([isOver(over, NOW_MS, 3 * DAY_MS), isOver(over, NOW_MS - 1, 3 * DAY_MS), isOver(seen, NOW_MS, 0)]).toEqual([
    true,
    false,
    false,
  ]);
});
