import { pathOf } from './api.ts';

test.each([
  ['GET keys', {}, 'keys'],
  ['DELETE keys/:id', { params: { id: 'a/b' } }, 'keys/a%2Fb'],
  [
    'GET sessions',
    { query: { limit: 20, state: '', model: undefined, before: 'x y' } },
    'sessions?limit=20&before=x+y',
  ],
])('pathOf(%j, %j) returns "%s"', (route, options, path) => {
  expect(pathOf(route, options)).toBe(path);
});
