import type { FuzzTarget } from '../engine/target.ts';

/**
 * Fails for inputs that start with `fuzz`. Without coverage as a guide, random inputs practically never start with this
 * text.
 */
export const target: FuzzTarget = {
  property: 'The input does not start with fuzz.',
  seeds: ['----'],
  dictionary: [],
  maxBytes: 16,
  run: (input) => {
    const text = input.toString('latin1');
    let matched = 0;
    if (input[0] === 'f'.charCodeAt(0)) matched = 1;
    if (matched === 1 && text[1] === 'u') matched = 2;
    if (matched === 2 && text[2] === 'z') matched = 3;
    if (matched === 3 && text[3] === 'z') throw new Error('the planted fault was reached');
  },
};
