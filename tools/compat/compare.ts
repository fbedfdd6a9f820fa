import { editDistance } from '../../loadtest/lib/edit-distance.ts';
import { wordsOf } from '../../test/support/word-errors.ts';

/** Most words in 1,000 that may differ from the native protocol. */
export const MAX_DIFFERENT_PER_1000 = 3;

/** Transcripts of a client compared with those of the native protocol. */
export interface Comparison {
  readonly files: number;
  /** Words of the native transcripts. */
  readonly words: number;
  /** Words that were inserted, deleted or replaced. */
  readonly different: number;
}

/** Compares transcripts of the same files. Throws if the client returned another number of transcripts. */
export function compareTranscripts(native: readonly string[], client: readonly string[]): Comparison {
  if (client.length !== native.length) {
    throw new Error(`the client printed ${client.length} transcripts of ${native.length} files`);
  }
  return {
    files: native.length,
    words: native.reduce((sum, text) => sum + wordsOf(text).length, 0),
    different: native.reduce((sum, text, at) => sum + editDistance(wordsOf(text), wordsOf(client[at] ?? '')), 0),
  };
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

/** Returns the different words in 1,000. A comparison without words counts as wholly different. */
export function differentPer1000({ words, different }: Comparison): number {
  return words === 0 ? 1000 : (1000 * different) / words;
}
