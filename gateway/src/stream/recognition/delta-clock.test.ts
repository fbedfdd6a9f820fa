import { DeltaClock } from './delta-clock.ts';

const CHUNK = 1000;

test('DeltaClock measures the latency of a delta from the arrival of the last sample that the delta covers', () => {
  const clock = new DeltaClock();
  clock.markArrival(400, 400, CHUNK, 10);
  clock.markArrival(1000, 1000, CHUNK, 20);
  clock.markArrival(1400, 1400, CHUNK, 30);
  expect(clock.takeLatency(1000, 120)).toBe(100);
  expect(clock.takeLatency(2000, 130)).toBeUndefined();
});

test('DeltaClock returns no latency if the worker is more than two chunks behind the sender, or for audio before a reset', () => {
  const clock = new DeltaClock();
  clock.markArrival(900, 900, CHUNK, 10);
  clock.markArrival(5000, 5000, CHUNK, 11);
  expect(clock.takeLatency(900, 50)).toBeUndefined();
  clock.markArrival(5100, 100, CHUNK, 60);
  clock.reset();
  expect(clock.takeLatency(5000, 70)).toBeUndefined();
});

test('DeltaClock keeps the marks of at most the last 8 chunks while no delta arrives', () => {
  const clock = new DeltaClock();
  for (let samples = 100; samples <= 100 * CHUNK; samples += 100) clock.markArrival(samples, 100, CHUNK, samples);
  expect(clock.takeLatency(1000, 0)).toBe(-93_000);
  expect(clock.takeLatency(100 * CHUNK, 100 * CHUNK + 7)).toBe(7);
});
