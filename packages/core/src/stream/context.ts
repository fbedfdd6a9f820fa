import Type from 'typebox';
import { AUDIO } from '../audio.ts';

/** Attention context, `[left, right]` in encoder frames of 80 ms. */
export type ContextSize = [left: number, right: number];

// The schema is an array of length two instead of a tuple, because dialects of JSON Schema write tuples differently.
export const ContextSize = (description: string) =>
  Type.Unsafe<ContextSize>({
    type: 'array',
    items: { type: 'integer', minimum: 0 },
    minItems: 2,
    maxItems: 2,
    description,
    examples: [[...AUDIO.defaultContext]],
  });
