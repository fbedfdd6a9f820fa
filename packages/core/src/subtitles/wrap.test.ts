import fc from 'fast-check';
import { wrapText } from './wrap.ts';

const seen = (text: string) => [...new Intl.Segmenter().segment(text)].length;

test('wrapText keeps all words in order in lines of at most the given width', () => {
  const word = fc.stringMatching(/^[a-zĩũ]{1,12}$/);
  fc.assert(
    fc.property(fc.array(word), fc.integer({ min: 1, max: 40 }), (words, width) => {
      const lines = wrapText(words.join(' '), width);
      for (const line of lines) expect(seen(line)).toBeLessThanOrEqual(width);
      expect(lines.join('').replaceAll(' ', '')).toBe(words.join(''));
      if (words.every(({ length }) => length <= width)) expect(lines.join(' ')).toBe(words.join(' '));
    }),
  );
});

test('wrapText counts as many visible characters as Intl.Segmenter, in any script', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
      const word = text.replaceAll(/\s/gu, '');
      expect(wrapText(word, 1)).toHaveLength(seen(word));
    }),
  );
});

test('wrapText counts visible characters instead of code units, and splits words that are longer than a line', () => {
  expect(wrapText('mu\u0303no mu\u0303no', 4)).toEqual(['mu\u0303no', 'mu\u0303no']);
  expect(wrapText('  ', 4)).toEqual([]);
  expect(wrapText('abcdefghij k', 4)).toEqual(['abcd', 'efgh', 'ij k']);
});
