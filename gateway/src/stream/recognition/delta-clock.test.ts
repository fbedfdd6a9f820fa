import { DeltaClock } from './delta-clock.ts';

const CHUNK = 1000;

test('a delta is timed from the arrival of the last sample that it is about', () => {
  const clock = new DeltaClock();
  clock.heard(400, 400, CHUNK, 10);
  clock.heard(1000, 1000, CHUNK, 20);
  clock.heard(1400, 1400, CHUNK, 30);
  expect(clock.told(1000, 120)).toBe(100);
  expect(clock.told(2000, 130)).toBeUndefined();
});

test('a sender that is ahead of its worker is not timed, nor is what came before another utterance', () => {
  const clock = new DeltaClock();
  clock.heard(900, 900, CHUNK, 10);
  clock.heard(5000, 5000, CHUNK, 11);
  expect(clock.told(900, 50)).toBeUndefined();
  clock.heard(5100, 100, CHUNK, 60);
  clock.reset();
  expect(clock.told(5000, 70)).toBeUndefined();
});

test('where nobody speaks for long, no more is remembered than the last chunks', () => {
  const clock = new DeltaClock();
  for (let samples = 100; samples <= 100 * CHUNK; samples += 100) clock.heard(samples, 100, CHUNK, samples);
  expect(clock.told(1000, 0)).toBe(-93_000);
  expect(clock.told(100 * CHUNK, 100 * CHUNK + 7)).toBe(7);
});
