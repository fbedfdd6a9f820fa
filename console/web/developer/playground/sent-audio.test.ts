import { quantile, SentAudio } from './sent-audio.ts';

test('SentAudio returns the time at which the audio before a position was complete', () => {
  const audio = new SentAudio();
  audio.add(40, 1000);
  audio.add(40, 1040);
  expect(audio.durationMs).toBe(80);
  expect([0, 40, 41, 80].map((position) => audio.completeAt(position))).toEqual([1000, 1000, 1040, 1040]);
});

test('SentAudio returns undefined for a position after the end of the audio', () => {
  const audio = new SentAudio();
  audio.add(40, 1000);
  expect(audio.completeAt(41)).toBeUndefined();
});

test('quantile() returns the smallest value that is greater than or equal to the given share of the values', () => {
  const values = [5, 1, 4, 2, 3];
  expect([0.5, 0.95, 0].map((share) => quantile(values, share))).toEqual([3, 5, 1]);
});

test('quantile() returns undefined if there are no values', () => {
  expect(quantile([], 0.5)).toBeUndefined();
});
