import { wordErrors, wordsOf } from './word-errors.ts';

test('wordsOf and wordErrors ignore case, punctuation and Unicode forms of the same letter', () => {
  expect(wordsOf('Mũrimũ, "infectious": nĩ (ũrĩa)!')).toEqual(['mũrimũ', 'infectious', 'nĩ', 'ũrĩa']);
  expect(wordErrors('nĩ ũrĩa', 'ni\u0303 u\u0303ri\u0303a'.normalize('NFC'))).toBe(0);
  expect(wordErrors('NĨ wega', 'ni\u0303 Wega')).toBe(0);
});

test.each([
  ['a b c', 'a b c', 0],
  ['a b c', 'a x c', 1],
  ['a b c', 'a c', 1],
  ['a b c', 'a b b c d', 2],
  ['a b c', '', 3],
  ['', 'a', 1],
])('wordErrors from %j to %j is %d', (spoken, transcript, errors) => {
  expect(wordErrors(spoken, transcript)).toBe(errors);
});
