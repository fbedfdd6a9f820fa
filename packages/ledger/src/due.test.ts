import { createDue } from './due.ts';
import { createKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';

/** The times in seconds that a mark is written for when somebody asks at each of these times. */
async function marksAt(timesMs: readonly number[], leaseMs = 5000, ttlMs = 60_000) {
  let now = 0;
  let written: string[] = [];
  const link = {
    send: (_key: string, [, , ...members]: readonly string[]) => {
      written.push(...members);
      return Promise.resolve(1);
    },
  } as unknown as RedisLink;
  const due = createDue(link, createKeys('p'), { now: () => now, observe: () => undefined }, 1000);
  const all: number[][] = [];
  const until: number[] = [];
  for (const time of timesMs) {
    [now, written] = [time, []];
    until.push(await due.mark('t', leaseMs, ttlMs));
    expect(written.filter((_, i) => i % 2 === 1)).toEqual(
      written.filter((_, i) => i % 2 === 0).map((ms) => `${Number(ms) / 1000}:t`),
    );
    all.push(written.filter((_, i) => i % 2 === 0).map((ms) => Number(ms) / 1000));
  }
  return { all, until };
}

test('a look comes after the lease, at most one more lease later, and to the second after the lifetime', async () => {
  const { all, until } = await marksAt([1_000_000, 1_000_400, 1_000_600, 1_004_400, 1_004_600]);
  // With half a second between the mark and the reservation: 1005.5 and 1060.5, 1005.9 and 1060.9, …
  expect(all).toEqual([[1010, 1061], [], [1062], [1065], [1015, 1066]]);
  expect(until).toEqual([1_061_000, 1_061_000, 1_062_000, 1_065_000, 1_066_000]);
});

test('a clock that trembles needs no new mark, one that went back does', async () => {
  const { all } = await marksAt([1_000_501, 1_000_499, 1_000_501, 980_000]);
  expect(all).toEqual([[1010, 1062], [], [], [990, 1041]]);
});

test('a lease below a second is looked for to the second', async () => {
  const { all } = await marksAt([1_000_000, 1_000_100, 1_000_300], 300, 700);
  expect(all).toEqual([[1001, 1002], [], [1002]]);
});
