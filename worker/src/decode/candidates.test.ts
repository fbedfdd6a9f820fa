import fc from 'fast-check';
import { bestCandidates, bestLogProb, selectTop } from './candidates.ts';

describe('bestLogProb', () => {
  test('returns the log-probability of the best class, whether the scores are logits or log-probabilities', () => {
    const logProbs = Float32Array.from([0.2, 0.7, 0.1], Math.log);
    for (const scores of [logProbs, logProbs.map((score) => score + 700)]) {
      expect(bestLogProb(scores, 0, 3, 1)).toBeCloseTo(Math.log(0.7), 3);
    }
  });

  test('reads only the classes of the given frame', () => {
    const scores = Float32Array.of(9, 9, 1, 1, 9);
    expect(bestLogProb(scores, 2, 2, 0)).toBeCloseTo(Math.log(0.5), 6);
  });

  test('returns 0 if no other class is possible, and NaN if the scores are not numbers', () => {
    expect(bestLogProb(Float32Array.of(3, -Infinity), 0, 2, 0)).toBeCloseTo(0, 9);
    expect(bestLogProb(Float32Array.of(NaN, NaN), 0, 2, 0)).toBeNaN();
  });
});

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

describe('selectTop', () => {
  test('selects the same classes with the same log-probabilities as bestCandidates', () => {
    // The scores have few possible values, so that some scores are equal.
    const scores = fc.array(fc.integer({ min: -6, max: 2 }), { minLength: 3, maxLength: 20 });
    fc.assert(
      fc.property(scores, fc.integer({ min: 1, max: 3 }), (values, count) => {
        const [ids, logProbs] = [new Int32Array(count), new Float32Array(count)];
        selectTop(Float32Array.of(9, ...values), 1, values.length, ids, logProbs);
        const expected = bestCandidates(Float32Array.from(values), 0, values.length, count);
        expect([...ids]).toEqual(expected.map(({ id }) => id));
        for (const [i, { logProb }] of expected.entries()) expect(logProbs[i]).toBeCloseTo(logProb, 4);
      }),
    );
  });

  test('returns the log-probability NaN if all scores are NaN', () => {
    const [ids, logProbs] = [new Int32Array(2), new Float32Array(2)];
    selectTop(Float32Array.of(NaN, NaN, NaN), 0, 3, ids, logProbs);
    expect([...logProbs]).toEqual([NaN, NaN]);
  });
});
