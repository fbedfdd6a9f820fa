import { bestCandidates } from './candidates.ts';

describe('bestCandidates', () => {
  test('returns the classes with the highest scores, the best first', () => {
    const scores = Float32Array.of(9, -3, 1, 2, 0, 9);
    expect(bestCandidates(scores, 1, 4, 3).map(({ id }) => id)).toEqual([2, 1, 3]);
  });

  test('returns log-probabilities, whether the scores are logits or already log-probabilities', () => {
    const probabilities = [0.5, 0.25, 0.25];
    const logProbs = Float32Array.from(probabilities, Math.log);
    for (const scores of [logProbs, logProbs.map((score) => score + 700)]) {
      const candidates = bestCandidates(scores, 0, 3, 8);
      expect(candidates).toHaveLength(3);
      for (const { id, logProb } of candidates) expect(logProb).toBeCloseTo(Math.log(probabilities[id] ?? 0), 3);
    }
  });
});
