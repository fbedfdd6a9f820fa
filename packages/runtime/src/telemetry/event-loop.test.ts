import { setTimeout as sleep } from 'node:timers/promises';
import { watchEventLoop } from './event-loop.ts';
import { createRecentMaximum } from './recent-maximum.ts';

/** Creates a resettable maximum (`Peak`) whose value the test sets. */
function createPeak() {
  return {
    max: 0,
    reset() {
      this.max = 0;
    },
  };
}

test('createRecentMaximum keeps the largest value for the given number of periods, however often it is read', () => {
  const peak = createPeak();
  const recent = createRecentMaximum(peak, 2);
  peak.max = 7;
  expect([recent.read(), recent.read()]).toEqual([7, 7]);
  recent.startPeriod();
  peak.max = 3;
  expect([recent.read(), recent.read()]).toEqual([7, 7]);
  recent.startPeriod();
  expect(recent.read()).toBe(7);
  recent.startPeriod();
  expect(recent.read()).toBe(3);
  recent.startPeriod();
  expect(recent.read()).toBe(0);
});

test('watchEventLoop reports the same stall of the event loop to two readers', async () => {
  const read = watchEventLoop();
  // The monitor needs time to start before the stall.
  await sleep(50);
  const until = performance.now() + 200;
  while (performance.now() < until);
  await sleep(50);
  expect(read()).toBeGreaterThan(0.15);
  expect(read()).toBeGreaterThan(0.15);
});
