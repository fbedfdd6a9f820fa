import { repeatUntil } from './noise-pace.ts';

/**
 * Repeats an action every 100 ms until the clock reaches 1,000 ms. Each repetition takes the time that `actMs` returns.
 * Returns the times of the repetitions and the number of skipped repetitions.
 */
async function repeat(actMs: (at: number) => number, nowMs = 0, startMs = 0) {
  const times: number[] = [];
  const clock = {
    now: () => nowMs,
    waitUntil: (atMs: number) => {
      nowMs = atMs;
      return Promise.resolve();
    },
  };
  const act = () => {
    times.push(nowMs);
    nowMs += actMs(times.length);
  };
  const skipped = await repeatUntil(1000, { startMs, intervalMs: 100 }, act, clock);
  return { times, skipped };
}

test('repeatUntil repeats an action at fixed times until the end time', async () => {
  const times = [0, 100, 200, 300, 400, 500, 600, 700, 800, 900];
  expect(await repeat(() => 30)).toEqual({ times, skipped: 0 });
});

test('if a slow action delays repetitions, repeatUntil runs all of them right after that action', async () => {
  const times = [0, 350, 350, 350, 400, 500, 600, 700, 800, 900];
  expect(await repeat((at) => (at === 1 ? 350 : 0))).toEqual({ times, skipped: 0 });
});

test('repeatUntil skips a repetition that would start after the end time, or more than 1 s late unless it is the first one', async () => {
  const late = await repeat(() => 0, 500, -2000);
  expect([late.times.length, late.skipped]).toEqual([1 + 15, 14]);
  expect(await repeat(() => 700)).toEqual({ times: [0, 700], skipped: 8 });
});
