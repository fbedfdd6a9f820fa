import type { Word } from '../decode/pieces.ts';

/**
 * Returns a final to compare with `toEqual`. The comparison then ignores differences of less than 0.005 between
 * confidences. Models with 32-bit or 16-bit weights can round differently in batches of different sizes.
 */
export function nearly<T extends { readonly words: readonly Word[] }>(final: T): T {
  const words = final.words.map((word) => ({ ...word, confidence: expect.closeTo(word.confidence, 2) as number }));
  return { ...final, words };
}
