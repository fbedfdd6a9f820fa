import { parseTokens } from './tokens.ts';

test('pieces are read by id and the blank is last', () => {
  expect(parseTokens('<unk> 0\n▁m 1\n<blk> 2\n')).toEqual({ pieces: ['<unk>', '▁m', '<blk>'], blank: 2 });
});

test('a piece may be a space', () => {
  expect(parseTokens('  0\n<blk> 1\n').pieces[0]).toBe(' ');
});

test.each([
  ['a 0\nb 2\n<blk> 3\n', /line 2: expected "piece 1"/],
  ['a 0\nb\n', /line 2/],
  ['<blk> 0\na 1\n', /last piece must be <blk>/],
  ['', /last piece must be <blk>/],
])('refuses %j', (text, message) => {
  expect(() => parseTokens(text)).toThrow(message);
});
