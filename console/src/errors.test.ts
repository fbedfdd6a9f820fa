import { readFileSync } from 'node:fs';
import { CONSOLE_ERRORS } from './errors.ts';

test('the README lists every console error code with its status, and no other code', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const listed = [...readme.matchAll(/^\| (\d{3}) +\| ([a-z_, ]+)/gm)].flatMap(([, status, codes]) =>
    (codes ?? '').split(',').map((code) => `${status ?? ''} ${code.trim()}`),
  );
  const known = Object.entries(CONSOLE_ERRORS).map(([code, { status }]) => `${status} ${code}`);
  expect(listed.sort()).toEqual(known.sort());
});

test('console errors with the same status have the same type', () => {
  const types = new Map<number, Set<string>>();
  for (const { status, type } of Object.values(CONSOLE_ERRORS)) {
    types.set(status, (types.get(status) ?? new Set()).add(type));
  }
  expect([...types].filter(([, names]) => names.size > 1)).toEqual([]);
});
