import { buildFraming } from '../../features/framing.ts';
import { encodedFrames } from './rows.ts';

describe.each([4, 8])('encodedFrames with a subsampling of %d', (subsampling) => {
  test('returns the number of frames of one chunk if the window is full, and 0 if the window contains only its history', () => {
    for (const right of [0, 3, 13]) {
      const { window, shift } = buildFraming(right, subsampling);
      expect(encodedFrames({ subsampling }, window)).toBe(right + 1);
      expect(encodedFrames({ subsampling }, window - shift)).toBe(0);
    }
  });

  test('counts an encoder frame as soon as its first feature frame contains audio', () => {
    const { window, shift } = buildFraming(13, subsampling);
    const history = window - shift;
    expect(encodedFrames({ subsampling }, history + 1)).toBe(1);
    expect(encodedFrames({ subsampling }, history + subsampling)).toBe(1);
    expect(encodedFrames({ subsampling }, history + subsampling + 1)).toBe(2);
  });
});
