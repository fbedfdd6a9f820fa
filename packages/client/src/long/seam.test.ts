import type { FinalMessage } from '@svc-asr/core';
import { seamAfter } from './seam.ts';

/** Builds the last `final` of a session that ends at 10 s. Each word is [start, end] in milliseconds. */
const finalOf = (...words: [number, number][]): FinalMessage => ({
  type: 'final',
  text: words.map((_, at) => `w${at}`).join(' '),
  utterance: 1,
  audio_start_ms: 0,
  audio_end_ms: 10_000,
  words: words.map(([start, end], at) => ({ text: `w${at}`, start_ms: start, end_ms: end })),
});

test.each([
  ['there is no word', []],
  ['the last word ended before a pause', [[9000, 9500]]],
  ['the only word is longer than the overlap', [[7000, 10_000]]],
  [
    'the second last word ended after the last word started',
    [
      [0, 9900],
      [9800, 10_000],
    ],
  ],
] as [string, [number, number][]][])(
  'seamAfter starts the next session at the end of the previous one if %s',
  (_, words) => {
    const final = finalOf(...words);
    expect(seamAfter(final)).toEqual({ resumeMs: 10_000, final });
  },
);

test('seamAfter starts the next session at the end of the last complete word if the last word may be incomplete', () => {
  const { resumeMs, final } = seamAfter(finalOf([8000, 8500], [8500, 9200], [9300, 9990]));
  expect(resumeMs).toBe(9200);
  expect(final).toMatchObject({ text: 'w0 w1', audio_end_ms: 9200 });
  expect(final.words).toHaveLength(2);
});

test('seamAfter starts the next session at the end of the previous one if the previous one is shorter than the overlap', () => {
  const final = { ...finalOf([0, 1000]), audio_end_ms: 1000 };
  expect(seamAfter(final)).toEqual({ resumeMs: 1000, final });
});

test('seamAfter repeats at most 2 s of audio', () => {
  const { resumeMs, final } = seamAfter(finalOf([1000, 1500], [9000, 9990]));
  expect([resumeMs, final.text]).toEqual([8000, 'w0']);
  expect(seamAfter(finalOf([9000, 9990]))).toMatchObject({ resumeMs: 8000, final: { text: '', words: [] } });
});
