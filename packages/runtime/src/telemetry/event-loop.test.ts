import { setTimeout as sleep } from 'node:timers/promises';
import { watchEventLoop } from './event-loop.ts';
import { createRecentMaximum } from './recent-maximum.ts';

/** A peak that values are put into. */
function createPeak() {
  return {
    max: 0,
    reset() {
      this.max = 0;
    },
  };
}

test('every reader gets the largest value of the window, however often others read', () => {
  const peak = createPeak();
  const recent = createRecentMaximum(peak, 2);
  peak.max = 7;
  expect([recent.read(), recent.read()]).toEqual([7, 7]);
  recent.turn();
  peak.max = 3;
  expect([recent.read(), recent.read()]).toEqual([7, 7]);
  recent.turn();
  expect(recent.read()).toBe(7);
  recent.turn();
  expect(recent.read()).toBe(3);
  recent.turn();
  expect(recent.read()).toBe(0);
});

test('a stall of the event loop is seen by two readers', async () => {
  const read = watchEventLoop();
  // The monitor has to have begun before there is a stall to measure.
  await sleep(50);
  const until = performance.now() + 200;
  while (performance.now() < until);
  await sleep(50);
  expect(read()).toBeGreaterThan(0.15);
  expect(read()).toBeGreaterThan(0.15);
});
