/** Longest sentence in words. The writing rules ask for about 25; this leaves room for a list. */
export const MAX_WORDS = 40;

/** Splits a text into sentences, at punctuation that a capital letter follows. Code in backticks counts as one word. */
export function splitSentences(text: string): string[] {
  return text
    .replace(/`[^`]*`/g, 'Code')
    .replace(/\s+/g, ' ')
    .trim()
    .split(/(?<=[.!?:])["')\]*_]*\s+(?=["'([*_]*\p{Lu})/u)
    .filter((sentence) => sentence !== '');
}

/** Counts the words of a sentence. Numbers, symbols and punctuation by themselves do not count. */
export function countWords(sentence: string): number {
  return sentence.split(/[\s/]+/).filter((word) => /\p{L}/u.test(word)).length;
}
