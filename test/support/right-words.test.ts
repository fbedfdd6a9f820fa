import { findRightWords } from './right-words.ts';

test.each([
  ['a b c', 'a b c', [true, true, true]],
  ['a b c', 'a x c', [true, false, true]],
  ['a b c', 'a c', [true, true]],
  ['a c', 'a b c', [true, false, true]],
  ['', 'a', [false]],
  ['a', '', []],
])(
  'findRightWords of the spoken words "%s" and the recognized words "%s" returns %j',
  (spoken, recognized, isRight) => {
    const split = (text: string) => text.split(' ').filter((word) => word !== '');
    expect(findRightWords(split(spoken), split(recognized))).toEqual(isRight);
  },
);
