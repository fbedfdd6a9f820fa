import { editDistance } from '../../loadtest/lib/edit-distance.ts';
import { wordsOf } from '../../test/support/word-errors.ts';

/** Maximum number of words in 1,000 that may differ from the transcripts of the native protocol. */
export const MAX_DIFFERENT_PER_1000 = 3;

/** Transcripts of a client compared with those of the native protocol. */
export interface Comparison {
  readonly files: number;
  /** Words of the native transcripts. */
  readonly words: number;
  /** Words that were inserted, deleted or replaced. */
  readonly different: number;
}

/**
 * Compares all transcripts as one text. They cannot be compared file by file, because a client may print several texts
 * for one file, or one text for several files.
 */
export function compareTranscripts(native: readonly string[], client: readonly string[]): Comparison {
  const words = wordsOf(native.join(' '));
  return { files: native.length, words: words.length, different: editDistance(words, wordsOf(client.join(' '))) };
}

/** Sums comparisons of several models. */
export function addComparisons(comparisons: readonly Comparison[]): Comparison {
  return comparisons.reduce(
    (sum, { files, words, different }) => ({
      files: sum.files + files,
      words: sum.words + words,
      different: sum.different + different,
    }),
    { files: 0, words: 0, different: 0 },
  );
}

/** Returns how many words in 1,000 differ. If there are no words, all count as different. */
export function differentPer1000({ words, different }: Comparison): number {
  return words === 0 ? 1000 : (1000 * different) / words;
}
