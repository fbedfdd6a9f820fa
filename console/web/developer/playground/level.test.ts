import { levelOf } from './level.ts';

test.each([
  ['silence', new Int16Array(100), 0],
  ['no audio', new Int16Array(0), 0],
  ['full scale', new Int16Array(100).fill(-32_768), 1],
  ['one tenth of full scale, which is -20 dB', new Int16Array(100).fill(3277), 2 / 3],
])('levelOf returns the expected level between 0 and 1 for %s', (_, pcm, expected) => {
  expect(levelOf(pcm)).toBeCloseTo(expected, 2);
});
