import { repeatUntil } from './noise-pace.ts';

/**
 * Repeats an action every 100 ms until the clock reaches 1,000 ms. Returns the times of the repetitions, which take
 * `actMs` each.
 */
async function timesOf(actMs: (at: number) => number, nowMs = 0, startMs = 0): Promise<number[]> {
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
  await repeatUntil(1000, { startMs, intervalMs: 100 }, act, clock);
  return times;
}

test('repeatUntil repeats an action at fixed times until the end time', async () => {
  expect(await timesOf(() => 30)).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900]);
});

test('repeatUntil makes up for the repetitions that a slow action delayed', async () => {
  expect(await timesOf((at) => (at === 1 ? 350 : 0))).toEqual([0, 350, 350, 350, 400, 500, 600, 700, 800, 900]);
});

test('repeatUntil skips repetitions that are more than a second late', async () => {
  expect(await timesOf(() => 0, 500, -2000)).toHaveLength(1 + 15);
});
