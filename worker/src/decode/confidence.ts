/** Number of equal steps from 0 to 1 to which a confidence is rounded. */
const STEPS = 1000;

/**
 * Returns the confidence of a word from the sum of the log-probabilities of its pieces. The confidence is the
 * probability that all pieces are right, from 0 to 1 with three decimals. If the sum is NaN, the confidence is 0.
 */
export function confidenceOf(logProb: number): number {
  const probability = Math.exp(Math.min(logProb, 0));
  return Number.isNaN(probability) ? 0 : Math.round(probability * STEPS) / STEPS;
}
