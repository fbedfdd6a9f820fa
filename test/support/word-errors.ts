import { editDistance } from '../../loadtest/lib/edit-distance.ts';

/** The words of a text as error rates count them. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}']+/gu) ?? []
  );
}

/** Word errors of transcripts over the words that were said, in percent over all of them together. */
export function wordErrorRate(spoken: readonly string[], transcripts: readonly string[]): number {
  const words = spoken.reduce((sum, text) => sum + wordsOf(text).length, 0);
  const errors = spoken.reduce((sum, text, at) => sum + editDistance(wordsOf(text), wordsOf(transcripts[at] ?? '')), 0);
  return (100 * errors) / words;
}
