import { afterChunk, aheadAt, isAhead, START } from './pace.ts';
import { chooseBatch } from './schedule.ts';
import type { Candidate } from './schedule.ts';
import { deriveSlots } from './slots.ts';

const candidate = (name: string, change: Partial<Candidate> = {}) => ({
  name,
  context: '56,13',
  readyMs: 0,
  aheadMs: 0,
  ahead: false,
  ...change,
});
const names = (batch: { name: string }[]) => batch.map(({ name }) => name).join('');

describe('chooseBatch', () => {
  test('orders streams at real-time pace by how long they have been ready', () => {
    expect(names(chooseBatch([candidate('b', { readyMs: 5 }), candidate('a', { readyMs: 1 })], 8))).toBe('ab');
  });

  test('adds streams that are ahead of real time only where the batch has room, the least ahead first', () => {
    const ready = [
      candidate('x', { ahead: true, aheadMs: 9000 }),
      candidate('y', { ahead: true, aheadMs: 3000 }),
      candidate('a', { readyMs: 7 }),
      candidate('b', { readyMs: 8 }),
    ];
    expect(names(chooseBatch(ready, 8))).toBe('abyx');
    expect(names(chooseBatch(ready, 2))).toBe('ab');
  });

  test('returns streams of one context only', () => {
    const ready = [
      candidate('a', { readyMs: 1 }),
      candidate('b', { context: '56,3', readyMs: 0 }),
      candidate('c', { context: '56,3', readyMs: 2 }),
    ];
    expect(names(chooseBatch(ready, 8))).toBe('bc');
  });

  test('returns an empty batch when no stream is ready', () => {
    expect(chooseBatch([], 8)).toEqual([]);
  });
});

describe('isAhead', () => {
  test('is false for a stream at real-time pace', () => {
    let pace = START;
    for (let now = 1120; now < 60_000; now += 1120) {
      expect(isAhead(pace, 1120, now)).toBe(false);
      pace = afterChunk(pace, 1120, now);
    }
  });

  test('is true after a few chunks of a stream that is faster than real time, and false again after a pause', () => {
    let pace = START;
    for (let i = 0; i < 4; i++) pace = afterChunk(pace, 1120, 1000);
    expect(isAhead(pace, 1120, 1000)).toBe(true);
    expect(aheadAt(pace, 1000)).toBe(4480);
    expect(isAhead(pace, 1120, 1000 + 3500)).toBe(false);
  });
});

test('deriveSlots uses the given share of the capacity, with at least one slot and at most the limit', () => {
  expect(deriveSlots(0.002, 0.75, 1024)).toBe(375);
  expect(deriveSlots(3, 0.7, 1024)).toBe(1);
  expect(deriveSlots(0.0001, 0.7, 1024)).toBe(1024);
});
