/** Maximum number of words in a sentence. */
export const MAX_WORDS = 25;

/**
 * Splits a text into sentences. A period ends a sentence before any letter, because a sentence may start with a file
 * name. A colon ends one only before a capital letter or code. Code in backticks counts as one word.
 */
export function splitSentences(text: string): string[] {
  return text
    .replace(/`[^`]*`/g, 'Code')
    .replace(/\s+/g, ' ')
    .trim()
    .split(/(?<=[.!?])["')\]*_]*\s+(?=["'([*_]*\p{L})|(?<=:)["')\]*_]*\s+(?=["'([*_]*\p{Lu})/u)
    .filter((sentence) => sentence !== '');
}

/** Counts the words of a sentence. Numbers, symbols and punctuation by themselves do not count. */
export function countWords(sentence: string): number {
  return sentence.split(/[\s/]+/).filter((word) => /\p{L}/u.test(word)).length;
}
