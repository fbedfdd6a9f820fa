import { editDistance } from '../../loadtest/lib/edit-distance.ts';

/** Splits a text into the words that error rates count. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}']+/gu) ?? []
  );
}

/** Returns the word error rate over all transcripts together, in percent. */
export function wordErrorRate(spoken: readonly string[], transcripts: readonly string[]): number {
  const words = spoken.reduce((sum, text) => sum + wordsOf(text).length, 0);
  const errors = spoken.reduce((sum, text, at) => sum + editDistance(wordsOf(text), wordsOf(transcripts[at] ?? '')), 0);
  return (100 * errors) / words;
}
