import { matchPath } from './router.ts';

test.each([
  ['/', '/', {}],
  ['/keys', '/keys/', {}],
  ['/keys', '/keysx', undefined],
  ['/sessions/:id', '/sessions/a%20b', { id: 'a b' }],
  ['/sessions/:id', '/sessions/%', { id: '%' }],
  ['/sessions/:id', '/sessions/a/b', undefined],
])('matchPath for the pattern %s and the path %s returns %j', (pattern, path, params) => {
  expect(matchPath(pattern, path)).toEqual(params);
});
