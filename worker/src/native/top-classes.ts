import type { Submission } from './submission.ts';

/**
 * Best classes of each frame or step of a batch, with their log-probabilities. Empty if runs of the graph do not return
 * them.
 */
export interface TopClasses {
  /** Number of classes for each frame or step. 0 if runs of the graph return no best classes. */
  readonly count: number;
  readonly ids: Int32Array;
  readonly scores: Float32Array;
}

/**
 * Returns the best classes in the host memory of a submission. `frames` is the number of frames or steps of the whole
 * batch.
 */
export function topClassesOf(submission: Submission, frames: number, count: number): TopClasses {
  if (count === 0) return { count, ids: new Int32Array(0), scores: new Float32Array(0) };
  const [ids, scores] = [submission.output('top_ids'), submission.output('top_scores')];
  return {
    count,
    ids: new Int32Array(ids.buffer, ids.offset, frames * count),
    scores: new Float32Array(scores.buffer, scores.offset, frames * count),
  };
}
