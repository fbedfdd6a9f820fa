import { parseTokens } from './tokens.ts';

test('parseTokens returns the pieces by id, with the blank last', () => {
  expect(parseTokens('<unk> 0\n▁m 1\n<blk> 2\n')).toEqual({ pieces: ['<unk>', '▁m', '<blk>'], blank: 2 });
});

test('parseTokens accepts a space as a piece', () => {
  expect(parseTokens('  0\n<blk> 1\n').pieces[0]).toBe(' ');
});

test.each([
  ['a 0\nb 2\n<blk> 3\n', /line 2: expected "piece 1"/],
  ['a 0\nb\n', /line 2/],
  ['<blk> 0\na 1\n', /last piece must be <blk>/],
  ['', /last piece must be <blk>/],
])('parseTokens refuses %j', (text, message) => {
  expect(() => parseTokens(text)).toThrow(message);
});
