import { deriveSlots, isSteady, slowRun } from './slots.ts';

const times = (quick: number, slow: number) => [...Array<number>(quick).fill(40), ...Array<number>(slow).fill(80)];

test('a steady machine is as slow as it is', () => {
  expect(slowRun(times(100, 0))).toBe(40);
});

test('slow seconds count as soon as they are a fifth of the time, single stalls do not', () => {
  expect(slowRun(times(80, 20))).toBe(80);
  expect(slowRun(times(95, 5))).toBe(40);
});

test('a machine is steady while slow runs take at most a tenth longer than quick ones', () => {
  const mixed = (slowMs: number) => [...Array<number>(50).fill(40), ...Array<number>(50).fill(slowMs)];
  expect(isSteady(mixed(44))).toBe(true);
  expect(isSteady(mixed(44.1))).toBe(false);
  // Single stalls happen everywhere.
  expect(isSteady(times(95, 5))).toBe(true);
});

test('the order of the runs does not matter', () => {
  expect(slowRun([80, 40, 80, 40, 40])).toBe(slowRun([40, 40, 40, 80, 80]));
});

test('slots use their share of the capacity, at least one and at most what is allowed', () => {
  expect(deriveSlots(0.004, 0.85, 1024)).toBe(212);
  expect(deriveSlots(2, 0.85, 1024)).toBe(1);
  expect(deriveSlots(0.0001, 0.85, 1024)).toBe(1024);
});
