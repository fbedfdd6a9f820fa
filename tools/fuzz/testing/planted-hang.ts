import type { FuzzTarget } from '../engine/target.ts';

/** Does not return for inputs that start with `h`. */
export const target: FuzzTarget = {
  property: 'The input does not start with h.',
  seeds: ['a', 'hang'],
  dictionary: [],
  maxBytes: 16,
  run: (input) => {
    let isEnded = false;
    while (input[0] === 'h'.charCodeAt(0)) isEnded = !isEnded;
  },
};
