import { countCrash, describeCrashes, hasRecovered } from './crashes.ts';
import type { Crashes } from './crashes.ts';

function crash(times: number, readyForMs?: number): Crashes {
  let crashes: Crashes | undefined;
  for (let n = 0; n < times; n++) crashes = countCrash(crashes, { how: 'ended by SIGSEGV', readyForMs, nowMs: 1000 });
  return crashes!;
}

test('countCrash doubles the retry delay with each failure, up to 30 seconds', () => {
  expect([1, 2, 3, 7, 8, 20].map((times) => crash(times).retryAtMs - 1000)).toEqual([
    250, 500, 1000, 16_000, 30_000, 30_000,
  ]);
});

test('describeCrashes reports a start failure after three failures in a row', () => {
  expect(describeCrashes(undefined)).toBeUndefined();
  expect(describeCrashes(crash(2))).toBeUndefined();
  expect(describeCrashes(crash(3))).toBe('workers fail to start, 3 times in a row; the last ended by SIGSEGV');
});

test('countCrash restarts its count if the worker was ready for five seconds, and continues the count if the worker crashed earlier', () => {
  expect(crash(9, 5000).failures).toBe(1);
  expect(crash(9, 4999).failures).toBe(9);
});

test('hasRecovered is true if a worker that started after the last failure stays ready', () => {
  const crashes = crash(3);
  expect(hasRecovered(crashes, { startedMs: 1000, readyAtMs: 2000 }, 7000)).toBe(true);
  expect(hasRecovered(crashes, { startedMs: 1000, readyAtMs: 2000 }, 6999)).toBe(false);
  expect(hasRecovered(crashes, { startedMs: 1000, readyAtMs: undefined }, 9000)).toBe(false);
  expect(hasRecovered(crashes, { startedMs: 999, readyAtMs: 999 }, 90_000)).toBe(false);
});
