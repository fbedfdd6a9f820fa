/**
 * Number of pieces per second of speech. The two bundled models found 6.4 and 6.1 pieces per second in their
 * recordings. Models with longer pieces find fewer pieces.
 */
const PIECES_PER_SECOND = 6;
/** Fractional part of the golden ratio. The fractional parts of its multiples are spread evenly between 0 and 1. */
const GOLDEN = 0.618_034;

/**
 * Returns the number of pieces in a window of speech of this duration. The numbers for different values of `index` have
 * a Poisson distribution, as in real speech. This is important because the search of a batch takes as long as the
 * search of its row with the most pieces. The same index always gives the same number.
 */
export function speechPieces(seconds: number, index: number): number {
  const mean = PIECES_PER_SECOND * seconds;
  const share = (GOLDEN * (index + 0.5)) % 1;
  let [pieces, probability] = [0, Math.exp(-mean)];
  for (let sum = probability; sum < share && probability > 0; sum += probability) {
    pieces++;
    probability *= mean / pieces;
  }
  return pieces;
}
