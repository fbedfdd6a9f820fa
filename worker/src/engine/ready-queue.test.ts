import fc from 'fast-check';
import { afterChunk, aheadAt, realTimeAt, START } from './pace.ts';
import type { Pace } from './pace.ts';
import { ReadyQueue } from './ready-queue.ts';

interface Stream {
  name: string;
  context: string;
  chunkMs: number;
  pace: Pace;
}

const CHUNK_MS = 1120;
const stream = (name: string, aheadMs = 0, context = '56,13'): Stream => ({
  name,
  context,
  chunkMs: CHUNK_MS,
  pace: { aheadMs, atMs: 0 },
});
const names = (batch: readonly Stream[]) => batch.map(({ name }) => name).join('');
const all = () => true;

describe('ReadyQueue', () => {
  test('returns streams at real-time pace in the order in which they became ready', () => {
    const queue = new ReadyQueue<Stream>();
    queue.add(stream('a'), 1);
    queue.add(stream('b'), 5);
    queue.add(stream('c'), 6);
    expect(queue.size(10)).toBe(3);
    expect(names(queue.take(2, 10, all))).toBe('ab');
    expect(names(queue.take(2, 10, all))).toBe('c');
    expect(queue.size(10)).toBe(0);
  });

  test('adds streams that are ahead of real time only where the batch has room, the least ahead first', () => {
    const filled = () => {
      const queue = new ReadyQueue<Stream>();
      queue.add(stream('x', 9000), 7);
      queue.add(stream('y', 3000), 7);
      queue.add(stream('a'), 7);
      queue.add(stream('b'), 8);
      return queue;
    };
    expect(names(filled().take(8, 9, all))).toBe('abyx');
    expect(names(filled().take(2, 9, all))).toBe('ab');
  });

  test('treats a stream that was ahead as one at real-time pace once enough time has passed', () => {
    const queue = new ReadyQueue<Stream>();
    queue.add(stream('x', 3000), 0);
    queue.add(stream('y', 9000), 0);
    expect(queue.size(1880)).toBe(2);
    queue.add(stream('a'), 1900);
    expect(names(queue.take(8, 1900, all))).toBe('xay');
  });

  test('returns streams of one context only, first of the context that has waited longest', () => {
    const queue = new ReadyQueue<Stream>();
    queue.add(stream('b', 0, '56,3'), 0);
    queue.add(stream('a'), 1);
    queue.add(stream('c', 0, '56,3'), 2);
    expect(names(queue.take(8, 3, all))).toBe('bc');
    expect(names(queue.take(8, 3, all))).toBe('a');
  });

  test('skips streams that have closed, and takes the next context if no stream is left', () => {
    const queue = new ReadyQueue<Stream>();
    queue.add(stream('a', 0, '56,3'), 0);
    queue.add(stream('b'), 1);
    expect(names(queue.take(8, 3, ({ name }) => name !== 'a'))).toBe('b');
    expect(names(queue.take(8, 3, all))).toBe('');
  });

  test('returns each stream exactly once and never more than the limit', () => {
    const added = fc.record({ aheadMs: fc.nat(20_000), context: fc.constantFrom('56,13', '56,3') });
    const step = fc.oneof(added, fc.record({ max: fc.integer({ min: 1, max: 5 }) }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = new ReadyQueue<Stream>();
        const [put, taken] = [new Set<string>(), new Set<string>()];
        const take = (max: number, nowMs: number) => {
          const batch = queue.take(max, nowMs, all);
          expect(batch.length).toBeLessThanOrEqual(max);
          expect(new Set(batch.map(({ context }) => context)).size).toBeLessThanOrEqual(1);
          for (const { name } of batch) {
            expect(taken.has(name)).toBe(false);
            taken.add(name);
          }
          return batch.length;
        };
        steps.forEach((one, at) => {
          if ('max' in one) take(one.max, at * 100);
          else {
            put.add(`${at}`);
            queue.add(stream(`${at}`, one.aheadMs, one.context), at * 100);
          }
        });
        while (take(3, steps.length * 100) > 0);
        expect(taken).toEqual(put);
      }),
    );
  });
});

describe('realTimeAt', () => {
  test('is not in the future for a stream at real-time pace', () => {
    let pace = START;
    for (let now = CHUNK_MS; now < 60_000; now += CHUNK_MS) {
      expect(realTimeAt(pace, CHUNK_MS)).toBeLessThanOrEqual(now);
      pace = afterChunk(pace, CHUNK_MS, now);
    }
  });

  test('is in the future after a few chunks of a stream that is faster than real time, and passes after a pause', () => {
    let pace = START;
    for (let i = 0; i < 4; i++) pace = afterChunk(pace, CHUNK_MS, 1000);
    expect(aheadAt(pace, 1000)).toBe(4 * CHUNK_MS);
    expect(realTimeAt(pace, CHUNK_MS)).toBe(1000 + 3 * CHUNK_MS);
  });
});
