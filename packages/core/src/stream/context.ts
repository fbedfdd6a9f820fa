import Type from 'typebox';
import { AUDIO } from '../audio.ts';

/** Attention context, `[left, right]` in encoder frames of 80 ms. */
export type ContextSize = [left: number, right: number];

// An array of length two instead of a tuple, because tuples differ between dialects of JSON Schema.
export const ContextSize = (description: string) =>
  Type.Unsafe<ContextSize>({
    type: 'array',
    items: { type: 'integer', minimum: 0 },
    minItems: 2,
    maxItems: 2,
    description,
    examples: [[...AUDIO.defaultContext]],
  });
