/** A possible class of a frame, with its log-probability. */
export interface Candidate {
  readonly id: number;
  readonly logProb: number;
}

/** Largest number of candidates for each piece. GPU graphs do not return more candidates. */
export const MAX_ALTERNATIVES = 8;

/**
 * Returns the log-probability of the class `best`. A row of `classes` scores starts at `from`, and `best` has the
 * highest score in this row. Scores may be logits or log-probabilities.
 */
export function bestLogProb(scores: Float32Array, from: number, classes: number, best: number): number {
  const top = scores[from + best] ?? NaN;
  let sum = 0;
  for (let i = from; i < from + classes; i++) sum += Math.exp((scores[i] ?? -Infinity) - top);
  return -Math.log(sum);
}

/**
 * Returns the `count` best classes of the row of `classes` scores that starts at `from`, the best first. Scores may be
 * logits or log-probabilities.
 */
export function bestCandidates(scores: Float32Array, from: number, classes: number, count: number): Candidate[] {
  const row = scores.subarray(from, from + classes);
  const top = row.reduce((most, score) => Math.max(most, score), -Infinity);
  const sum = row.reduce((total, score) => total + Math.exp(score - top), 0);
  const logSum = top + Math.log(sum);
  return Array.from(row, (score, id) => ({ id, logProb: score - logSum }))
    .sort((one, other) => other.logProb - one.logProb)
    .slice(0, count);
}

/**
 * Finds the best classes of the row of `classes` scores that starts at `from`. Fills `ids` with these classes, the best
 * first, and `logProbs` with their log-probabilities. If scores are equal, the class with the lower number comes first.
 * Scores may be logits or log-probabilities.
 */
export function selectTop(
  scores: Float32Array,
  from: number,
  classes: number,
  ids: Int32Array,
  logProbs: Float32Array,
): void {
  const last = ids.length - 1;
  ids.fill(0);
  logProbs.fill(-Infinity);
  for (let id = 0; id < classes; id++) {
    const score = scores[from + id] ?? -Infinity;
    if (!(score > (logProbs[last] ?? 0))) continue;
    let at = last;
    for (; at > 0 && score > (logProbs[at - 1] ?? 0); at--) {
      ids[at] = ids[at - 1] ?? 0;
      logProbs[at] = logProbs[at - 1] ?? 0;
    }
    ids[at] = id;
    logProbs[at] = score;
  }
  const top = logProbs[0] ?? 0;
  const logSum = top - bestLogProb(scores, from, classes, ids[0] ?? 0);
  for (let at = 0; at <= last; at++) logProbs[at] = (logProbs[at] ?? 0) - logSum;
}
