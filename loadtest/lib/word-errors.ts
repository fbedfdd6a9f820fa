import { editDistance } from './edit-distance.ts';

/**
 * Splits a text into the words that error rates count. Punctuation is listed explicitly, because k6 does not support
 * Unicode classes in regular expressions.
 */
export function wordsOf(text: string): string[] {
  return text
    .normalize('NFC')
    .toLowerCase()
    .split(/[\s.,;:!?"()]+/)
    .filter((word) => word !== '');
}

/**
 * Returns the smallest number of insertions, deletions and substitutions of words that turn one text into the other.
 */
export function wordErrors(spoken: string, transcript: string): number {
  return editDistance(wordsOf(spoken), wordsOf(transcript));
}
