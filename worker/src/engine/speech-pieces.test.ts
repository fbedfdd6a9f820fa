import { speechPieces } from './speech-pieces.ts';

describe('speechPieces', () => {
  test.each([0.08, 0.32, 1.12, 4])(
    'returns pieces in bursts, and on average six pieces per second, for windows of %d s',
    (seconds) => {
      const windows = Array.from({ length: 1000 }, (_, index) => speechPieces(seconds, index));
      const mean = windows.reduce((sum, pieces) => sum + pieces, 0) / windows.length;
      expect(mean / seconds).toBeCloseTo(6, 0);
      expect(Math.max(...windows)).toBeGreaterThan(mean + 2 * Math.sqrt(mean));
      expect(Math.min(...windows)).toBeLessThan(mean);
    },
  );
});
