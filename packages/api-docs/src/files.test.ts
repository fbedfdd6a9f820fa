import { fill } from './files.ts';

test('fill() replaces every placeholder of a text with its value', () => {
  expect(fill('{{a}} and {{b.sh}}, {{a}}', { a: '1', 'b.sh': '2' })).toBe('1 and 2, 1');
});

test('fill() indents the further lines of a value like the line with its placeholder', () => {
  expect(fill('1. Run\n\n   {{code}}', { code: 'a \\\n  b' })).toBe('1. Run\n\n   a \\\n     b');
});

test('fill() throws if a placeholder has no value', () => {
  expect(() => fill('{{unknown}}', {})).toThrow('{{unknown}}, which has no value');
});
