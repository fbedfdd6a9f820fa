import { showAudioMs } from './display.ts';

test.each([
  [0, '0s'],
  [999, '0s'],
  [28_000, '28s'],
  [60_000, '1m'],
  [3_512_000, '58m32s'],
  [3_599_999, '59m59s'],
  [3_601_000, '1h1s'],
  [3_600_000_000, '1000h'],
  [3_661_000, '1h1m1s'],
])('showAudioMs formats %i ms as %s', (ms, expected) => {
  expect(showAudioMs(ms)).toBe(expected);
});
