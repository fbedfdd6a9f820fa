import { safeReturnPath } from './return-path.ts';

test('safeReturnPath returns a path of 512 characters, and returns / for a longer path', () => {
  const longest = `/${'a'.repeat(511)}`;
  expect(safeReturnPath(longest)).toBe(longest);
  expect(safeReturnPath(`${longest}a`)).toBe('/');
});

// A longer path would not fit into the cookie of the login, and the sign-in would fail.
test('safeReturnPath returns / for a path that normalization makes longer than 512 characters', () => {
  const encoded = '%3E'.repeat(170);
  expect(safeReturnPath(`/${'>'.repeat(170)}`)).toBe(`/${encoded}`);
  expect(safeReturnPath(`/${'>'.repeat(171)}`)).toBe('/');
});
