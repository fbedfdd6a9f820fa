import { countCuts, joinWithPauses } from './pauses.ts';

const loud = (samples: number) => new Int16Array(samples).fill(5000);
const quiet = (samples: number) => new Int16Array(samples);
const padded = Int16Array.from([...quiet(320), ...loud(1600), ...quiet(480)]);
const recordings = [
  { samples: padded, text: '' },
  { samples: loud(800), text: '' },
];

test('joinWithPauses removes silence at the edges of recordings and reports where each pause starts', () => {
  const audio = joinWithPauses(recordings, 100, 'silence');
  expect(audio).toMatchObject({ ends: [1600, 4000], pauseSamples: 1600, speechSamples: 2400 });
  expect(audio.samples).toHaveLength(5600);
});

test('joinWithPauses with noise fills the pauses with the same quiet noise in each call', () => {
  const [one, other] = [joinWithPauses(recordings, 100, 'noise'), joinWithPauses(recordings, 100, 'noise')];
  expect(one.samples).toEqual(other.samples);
  const pause = one.samples.subarray(1600, 3200);
  const rms = Math.sqrt(pause.reduce((sum, value) => sum + value * value, 0) / pause.length);
  expect(Math.abs(rms - 33)).toBeLessThan(3);
});

test('countCuts counts a pause with a cut soon after its start as found, and counts cuts in speech and further cuts in a pause as false ends', () => {
  const audio = joinWithPauses(recordings, 100, 'silence');
  const count = (cuts: number[]) => countCuts(audio, cuts, 40, 20);
  expect(count([1600 + 960, 4000 + 960])).toEqual({ found: 2, missed: 0, falseEnds: 0 });
  expect(count([100, 1600 + 960, 4000 + 961])).toEqual({ found: 1, missed: 1, falseEnds: 1 });
  expect(count([1600 + 960, 1600 + 1600])).toEqual({ found: 1, missed: 1, falseEnds: 1 });
});
