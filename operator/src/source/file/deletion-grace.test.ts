import type { ResourceKey } from '../source.ts';
import { createVanished } from './vanish.ts';

const of = (...names: string[]) => new Map<ResourceKey, string>(names.map((name) => [`Tenant/${name}`, name]));
const names = (kept: Map<ResourceKey, string>) => [...kept.values()];

test('keep retains a missing resource until the grace time has passed', () => {
  const vanished = createVanished<string>(1000);
  vanished.keep(of('a', 'b'), 0);
  expect(names(vanished.keep(of('b'), 100))).toEqual(['b', 'a']);
  expect(names(vanished.keep(of('b'), 1099))).toEqual(['b', 'a']);
  expect(names(vanished.keep(of('b'), 1100))).toEqual(['b']);
});

test('keep restarts the grace time when a resource returns', () => {
  const vanished = createVanished<string>(1000);
  vanished.keep(of('a'), 0);
  vanished.keep(of(), 100);
  vanished.keep(of('a'), 900);
  expect(names(vanished.keep(of(), 1500))).toEqual(['a']);
  expect(names(vanished.keep(of(), 2499))).toEqual(['a']);
  expect(names(vanished.keep(of(), 2500))).toEqual([]);
});
