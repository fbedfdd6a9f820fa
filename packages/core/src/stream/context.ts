import Type from 'typebox';
import { AUDIO } from '../audio.ts';

/** An attention context, `[left, right]` in encoder frames of 80 ms. */
export type ContextSize = [left: number, right: number];

// An array of two and not a tuple: it reads the same in every dialect of JSON Schema.
export const ContextSize = (description: string) =>
  Type.Unsafe<ContextSize>({
    type: 'array',
    items: { type: 'integer', minimum: 0 },
    minItems: 2,
    maxItems: 2,
    description,
    examples: [[...AUDIO.defaultContext]],
  });
