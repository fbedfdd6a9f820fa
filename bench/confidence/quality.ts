/** A recognized word with its confidence, and whether it is right. */
export interface JudgedWord {
  readonly confidence: number;
  readonly isRight: boolean;
}

/** Number of ranges of confidences in which the calibration is measured. */
const RANGES = 10;

/** Quality of the confidences of words. Values are undefined if there are no words to compute them from. */
export interface Quality {
  readonly words: number;
  readonly right_percent: number | undefined;
  readonly mean: number | undefined;
  readonly mean_right: number | undefined;
  readonly mean_wrong: number | undefined;
  /** Probability that a right word has a higher confidence than a wrong word. */
  readonly auc: number | undefined;
  /**
   * Mean distance between the confidences and the share of right words. Words are divided into ten ranges of
   * confidences. For each range, the distance is the difference between the mean confidence of its words and the share
   * of right words among them. The mean of these ten distances is weighted by the number of words in each range.
   */
  readonly calibration_error: number | undefined;
}

/** Measures how well confidences separate right words from wrong words, and how close they are to probabilities. */
export function measureQuality(words: readonly JudgedWord[]): Quality {
  const right = words.filter(({ isRight }) => isRight).map(confidenceOf);
  const wrong = words.filter(({ isRight }) => !isRight).map(confidenceOf);
  return {
    words: words.length,
    right_percent: words.length === 0 ? undefined : (100 * right.length) / words.length,
    mean: meanOf(words.map(confidenceOf)),
    mean_right: meanOf(right),
    mean_wrong: meanOf(wrong),
    auc: meanOf(right.flatMap((one) => wrong.map((other) => (one > other ? 1 : one === other ? 0.5 : 0)))),
    calibration_error: calibrationError(words),
  };
}

function calibrationError(words: readonly JudgedWord[]): number | undefined {
  if (words.length === 0) return undefined;
  const rangeOf = ({ confidence }: JudgedWord) => Math.min(RANGES - 1, Math.floor(confidence * RANGES));
  const ranges = Array.from({ length: RANGES }, (_, range) => words.filter((word) => rangeOf(word) === range));
  return ranges.reduce((sum, own) => {
    const right = own.filter(({ isRight }) => isRight).length;
    const expected = own.reduce((total, { confidence }) => total + confidence, 0);
    return sum + Math.abs(expected - right) / words.length;
  }, 0);
}

const confidenceOf = ({ confidence }: JudgedWord): number => confidence;

function meanOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}
