import { deriveSlots, isSteady, slowRun } from './slots.ts';

const times = (quick: number, slow: number) => [...Array<number>(quick).fill(40), ...Array<number>(slow).fill(80)];

test('if all runs take equally long, slowRun returns their duration', () => {
  expect(slowRun(times(100, 0))).toBe(40);
});

test('slowRun returns the duration of slow runs if a fifth of the runs is slow, and ignores rare stalls', () => {
  expect(slowRun(times(80, 20))).toBe(80);
  expect(slowRun(times(95, 5))).toBe(40);
});

test('isSteady is true if slow runs take at most a tenth longer than fast ones', () => {
  const mixed = (slowMs: number) => [...Array<number>(50).fill(40), ...Array<number>(50).fill(slowMs)];
  expect(isSteady(mixed(44))).toBe(true);
  expect(isSteady(mixed(44.1))).toBe(false);
  // Rare stalls do not count, because they occur on every machine.
  expect(isSteady(times(95, 5))).toBe(true);
});

test('slowRun does not depend on the order of the runs', () => {
  expect(slowRun([80, 40, 80, 40, 40])).toBe(slowRun([40, 40, 40, 80, 80]));
});

test('deriveSlots uses the given share of the capacity, with at least one slot and at most the limit', () => {
  expect(deriveSlots(0.004, 0.85, 1024)).toBe(212);
  expect(deriveSlots(2, 0.85, 1024)).toBe(1);
  expect(deriveSlots(0.0001, 0.85, 1024)).toBe(1024);
});
