import type { ResourceKey } from '../source.ts';
import { createDeletionGrace } from './deletion-grace.ts';

const of = (...names: string[]) => new Map<ResourceKey, string>(names.map((name) => [`Tenant/${name}`, name]));
const names = (kept: Map<ResourceKey, string>) => [...kept.values()];

test('createDeletionGrace retains a missing resource until the grace time has passed', () => {
  const grace = createDeletionGrace<string>(1000);
  grace.keep(of('a', 'b'), 0);
  expect(names(grace.keep(of('b'), 100))).toEqual(['b', 'a']);
  expect(names(grace.keep(of('b'), 1099))).toEqual(['b', 'a']);
  expect(names(grace.keep(of('b'), 1100))).toEqual(['b']);
});

test('createDeletionGrace restarts the grace time when a missing resource reappears', () => {
  const grace = createDeletionGrace<string>(1000);
  grace.keep(of('a'), 0);
  grace.keep(of(), 100);
  grace.keep(of('a'), 900);
  expect(names(grace.keep(of(), 1500))).toEqual(['a']);
  expect(names(grace.keep(of(), 2499))).toEqual(['a']);
  expect(names(grace.keep(of(), 2500))).toEqual([]);
});
