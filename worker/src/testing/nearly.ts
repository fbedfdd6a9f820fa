import type { Word } from '../decode/pieces.ts';

/**
 * Returns a final for `toEqual`. It equals the same final with confidences that differ by less than 0.005. Models with
 * 32-bit or 16-bit weights can round differently in batches of different sizes.
 */
export function nearly<T extends { readonly words: readonly Word[] }>(final: T): T {
  const words = final.words.map((word) => ({ ...word, confidence: expect.closeTo(word.confidence, 2) as number }));
  return { ...final, words };
}
