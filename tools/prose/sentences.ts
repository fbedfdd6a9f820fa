import { split, SentenceSplitterSyntax } from 'sentence-splitter';

/** Longest sentence in words. The writing rules ask for about 25; this leaves room for a list. */
export const MAX_WORDS = 32;

/** Splits a text into sentences. Code in backticks counts as one word. */
export function splitSentences(text: string): string[] {
  const plain = text
    .replace(/`[^`]*`/g, 'code')
    .replace(/\s+/g, ' ')
    .trim();
  return split(plain)
    .filter(({ type }) => type === SentenceSplitterSyntax.Sentence)
    .map(({ raw }) => raw.trim());
}

/** Counts the words of a sentence. Numbers, symbols and punctuation by themselves do not count. */
export function countWords(sentence: string): number {
  return sentence.split(/[\s/]+/).filter((word) => /\p{L}/u.test(word)).length;
}
