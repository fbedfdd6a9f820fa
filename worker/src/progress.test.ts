import { eventually } from '../../test/support/eventually.ts';
import { lookAgain, watchProgress } from './progress.ts';

const start = { progress: 7, atMs: 1000, stalledMs: 0 };

test('a thread that moves is not stalled, one that does not is so for longer and longer', () => {
  expect(lookAgain(start, 8, 1500, 500)).toEqual({ progress: 8, atMs: 1500, stalledMs: 0 });
  const once = lookAgain(start, 7, 1500, 500);
  expect(once.stalledMs).toBe(500);
  expect(lookAgain(once, 7, 2100, 500).stalledMs).toBe(1100);
  expect(lookAgain(once, 9, 2100, 500).stalledMs).toBe(0);
});

test('time in which the process itself stood still counts little', () => {
  expect(lookAgain(start, 7, 61_000, 500).stalledMs).toBe(1000);
});

test('tells of progress while there is some, and how long there has been none', async () => {
  const engine = { progress: 0 };
  let told = 0;
  const watch = watchProgress(engine, 5, () => {
    told++;
    if (told < 3) engine.progress++;
  });
  engine.progress++;
  await eventually('a stall', 5000, () => watch.stalledMs >= 20);
  watch.stop();
  expect(told).toBe(3);
});
