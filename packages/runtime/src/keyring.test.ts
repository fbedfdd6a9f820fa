import { equalBytes, parseKeyring, sign } from './keyring.ts';

const secret = (fill: number) => Buffer.alloc(32, fill).toString('base64');

test('after a rotation, sign() can still compute signatures with the old secret of the keyring', () => {
  const before = parseKeyring(JSON.stringify({ current: 'p1', secrets: { p1: secret(1) } }));
  const after = parseKeyring(JSON.stringify({ current: 'p2', secrets: { p1: secret(1), p2: secret(2) } }));
  expect(after.current).toBe('p2');
  expect(sign(after, 'p1', 'm', 'hex')).toEqual(sign(before, 'p1', 'm', 'hex'));
  expect(sign(after, 'p2', 'm', 'hex')).not.toEqual(sign(before, 'p1', 'm', 'hex'));
  expect(sign(before, 'p2', 'm', 'hex')).toBeUndefined();
});

test.each([
  'not json s3cret',
  '[]',
  '{"current":"p1"}',
  '{"current":"p1","secrets":{}}',
  `{"current":"p2","secrets":{"p1":"${secret(1)}"}}`,
  '{"current":"p1","secrets":{"p1":"c2hvcnQ="}}',
])('parseKeyring refuses the text %s, and its error message does not contain the text', (text) => {
  expect(() => parseKeyring(text)).toThrow(/^must be JSON/);
});

test('equalBytes returns false for values of different lengths', () => {
  expect(equalBytes(Buffer.from('a'), Buffer.from('ab'))).toBe(false);
  expect(equalBytes(Buffer.from('ab'), Buffer.from('ab'))).toBe(true);
});
