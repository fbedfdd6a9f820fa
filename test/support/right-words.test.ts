import { findRightWords } from './right-words.ts';

test.each([
  ['a b c', 'a b c', [true, true, true]],
  ['a b c', 'a x c', [true, false, true]],
  ['a b c', 'a c', [true, true]],
  ['a c', 'a b c', [true, false, true]],
  ['', 'a', [false]],
  ['a', '', []],
])('of the spoken words "%s", the recognized words "%s" are right: %j', (spoken, recognized, isRight) => {
  const split = (text: string) => text.split(' ').filter((word) => word !== '');
  expect(findRightWords(split(spoken), split(recognized))).toEqual(isRight);
});
