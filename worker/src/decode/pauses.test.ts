import { PauseFinder } from './pauses.ts';

/**
 * Returns the first frame after the pause. In `frames`, `.` is a blank frame, `_` a piece without text, and `x` speech.
 */
function pauseIn(frames: string, silentFrames: number, notBefore?: number): number | undefined {
  const pauses = new PauseFinder(silentFrames, notBefore);
  let hasWord = false;
  frames.split('').forEach((frame, at) => {
    hasWord ||= frame === 'x';
    if (frame !== '.') pauses.record(at, hasWord);
  });
  return pauses.find(frames.length);
}

test.each([
  ['x...', 3, undefined, 4],
  ['x..', 3, undefined, undefined],
  ['xx....x', 3, undefined, 5],
  ['x..x...x', 3, undefined, 7],
  ['.......', 3, undefined, undefined],
  ['_......', 3, undefined, undefined],
  ['_..x.._', 2, undefined, 6],
  ['x.....', 3, 5, 5],
  ['x...x...', 3, 5, 8],
])(
  'in the frames %s (x: speech), PauseFinder with %i silent frames and notBefore %s finds a pause that ends at frame %s',
  (...row) => {
    const [frames, silentFrames, notBefore, end] = row;
    expect(pauseIn(frames, silentFrames, notBefore)).toBe(end);
  },
);

test('PauseFinder returns the same pause when it is called again with more frames', () => {
  const pauses = new PauseFinder(2);
  pauses.record(0, true);
  expect(pauses.find(2)).toBeUndefined();
  expect(pauses.find(3)).toBe(3);
  pauses.record(5, true);
  expect(pauses.find(20)).toBe(3);
});
