import { eventually } from '../../test/support/eventually.ts';
import { updateStall, watchProgress } from './progress.ts';

const start = { progress: 7, atMs: 1000, stalledMs: 0 };

test('updateStall resets the stall on progress and adds up the time without progress', () => {
  expect(updateStall(start, 8, 1500, 500)).toEqual({ progress: 8, atMs: 1500, stalledMs: 0 });
  const once = updateStall(start, 7, 1500, 500);
  expect(once.stalledMs).toBe(500);
  expect(updateStall(once, 7, 2100, 500).stalledMs).toBe(1100);
  expect(updateStall(once, 9, 2100, 500).stalledMs).toBe(0);
});

test('updateStall adds at most two intervals if the whole process was suspended', () => {
  expect(updateStall(start, 7, 61_000, 500).stalledMs).toBe(1000);
});

test('watchProgress calls onProgress while there is progress and measures the time without progress', async () => {
  const engine = { progress: 0 };
  let calls = 0;
  const watch = watchProgress(engine, 5, () => {
    calls++;
    if (calls < 3) engine.progress++;
  });
  engine.progress++;
  await eventually('a stall is reported', 30_000, () => watch.stalledMs >= 20);
  watch.stop();
  expect(calls).toBe(3);
});
