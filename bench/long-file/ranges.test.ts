import { divideAtGaps } from './ranges.ts';

test('divideAtGaps cuts in the longest gap between 200 and 290 s after the last cut', () => {
  const words = [
    { start: 0, end: 210 },
    { start: 211, end: 250 },
    { start: 253, end: 280 },
    { start: 281, end: 400 },
  ];
  expect(divideAtGaps(words, 400_000)).toEqual([
    { start_ms: 0, end_ms: 251_500, text: '' },
    { start_ms: 251_500, end_ms: 400_000, text: '' },
  ]);
});

test('divideAtGaps cuts at 290 s if no gap is in the range', () => {
  expect(divideAtGaps([], 300_000).map(({ end_ms: end }) => end)).toEqual([290_000, 300_000]);
});
