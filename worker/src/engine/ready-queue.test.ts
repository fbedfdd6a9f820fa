import fc from 'fast-check';
import { afterArrival, afterChunk, aheadAt, isLive, realTimeAt, START, startArrival } from './pace.ts';
import type { Pace } from './pace.ts';
import { ReadyQueue } from './ready-queue.ts';

interface Stream {
  name: string;
  context: string;
  chunkMs: number;
  pace: Pace;
  earlyMs: number;
  backlogMs: number;
}

const CHUNK_MS = 1120;
/** Time by which a stream may be ahead and still count as real-time. */
const TOLERANCE_MS = 500;
/** Value of `earlyMs` for a client that has recorded nothing before its stream was open. */
const LIVE_EARLY_MS = startArrival(0).aheadMs;
const stream = (name: string, aheadMs = 0, context = '56,13', backlogMs = 0): Stream => ({
  name,
  context,
  chunkMs: CHUNK_MS,
  pace: { aheadMs, atMs: 0 },
  earlyMs: aheadMs,
  backlogMs,
});
const names = (batch: readonly Stream[]) => batch.map(({ name }) => name).join('');
const all = () => true;
const upTo = (max: number) => () => max;

interface Queue {
  add: (item: Stream, nowMs: number) => void;
  take: (max: number, nowMs: number) => Stream[];
}

function readyQueue(): Queue {
  const queue = new ReadyQueue<Stream>({ isPadded: false });
  return { add: (item, nowMs) => queue.add(item, nowMs), take: (max, nowMs) => queue.take(upTo(max), nowMs, all) };
}

/** A queue that returns streams in the order of arrival, for comparison. */
function arrivalQueue(): Queue {
  const items: Stream[] = [];
  return { add: (item) => void items.push(item), take: (max) => items.splice(0, max) };
}

/**
 * Simulates a worker whose slots are all in use. After 10 s, the machine slows down by the factor `slowdown`. From then
 * on no stream starts, and half of the streams end within 18 s. Returns the share of windows whose result takes longer
 * than 250 ms, and the longest time until a result.
 */
function simulate(queue: Queue, slowdown: number): { lateShare: number; longestMs: number } {
  const [streams, utilization, slowAtMs, endMs] = [160, 0.75, 10_000, 60_000];
  const windowMs = (utilization * CHUNK_MS) / streams;
  const endOf = (at: number) => (at < streams / 2 ? slowAtMs + (18_000 * at) / (streams / 2) : endMs);
  // The windows of a stream become ready at a fixed time within each chunk. These times differ between the streams.
  const dueMs = Array.from({ length: streams }, (_, at) => CHUNK_MS + (((at * 61) % streams) / streams) * CHUNK_MS);
  const queued = new Set<number>();
  let [windows, late, longestMs] = [0, 0, 0];
  for (let nowMs = 0; nowMs < endMs;) {
    dueMs.forEach((due, at) => {
      if (due > nowMs || queued.has(at) || due > endOf(at)) return;
      queued.add(at);
      queue.add(stream(`${at}`, 0, '56,13', nowMs - due), nowMs);
    });
    const speedMs = windowMs * (nowMs > slowAtMs ? slowdown : 1);
    // Limits the batch as `batchLimit` does.
    const taken = queue.take(Math.min(16, Math.floor(100 / speedMs)), nowMs).map(({ name }) => Number(name));
    nowMs += taken.length === 0 ? 1 : taken.length * speedMs;
    for (const at of taken) {
      const latencyMs = nowMs - (dueMs[at] ?? 0);
      windows++;
      if (latencyMs > 250) late++;
      longestMs = Math.max(longestMs, latencyMs);
      dueMs[at] = (dueMs[at] ?? 0) + CHUNK_MS;
      queued.delete(at);
    }
  }
  return { lateShare: late / windows, longestMs };
}

describe('ReadyQueue', () => {
  test('returns streams at real-time pace in the order in which they became ready', () => {
    const queue = new ReadyQueue<Stream>({ isPadded: false });
    queue.add(stream('a'), 1);
    queue.add(stream('b'), 5);
    queue.add(stream('c'), 6);
    expect(queue.size(10)).toBe(3);
    expect(names(queue.take(upTo(2), 10, all))).toBe('ab');
    expect(names(queue.take(upTo(2), 10, all))).toBe('c');
    expect(queue.size(10)).toBe(0);
  });

  test('fills a padded batch with streams that are ahead of real time, starting with the stream that is least ahead', () => {
    const filled = () => {
      const queue = new ReadyQueue<Stream>({ isPadded: true });
      queue.add(stream('x', 9000), 7);
      queue.add(stream('y', 3000), 7);
      queue.add(stream('a'), 7);
      queue.add(stream('b'), 8);
      return queue;
    };
    expect(names(filled().take(upTo(8), 9, all))).toBe('abyx');
    expect(names(filled().take(upTo(2), 9, all))).toBe('ab');
  });

  test('returns streams that are ahead of real time in batches of their own if batches are not padded', () => {
    const queue = new ReadyQueue<Stream>({ isPadded: false });
    queue.add(stream('x', 9000), 7);
    queue.add(stream('y', 3000), 7);
    queue.add(stream('a'), 7);
    expect(queue.size(9)).toBe(1);
    expect(names(queue.take(upTo(8), 9, all))).toBe('a');
    expect(queue.size(9)).toBe(2);
    expect(names(queue.take(upTo(8), 9, all))).toBe('yx');
  });

  test.each([true, false])(
    'while there are live streams, gives 3 % of the time to streams that are ahead of real time (isPadded: %s)',
    (isPadded) => {
      const queue = new ReadyQueue<Stream>({ isPadded });
      queue.add({ ...stream('a'), earlyMs: LIVE_EARLY_MS, pace: { aheadMs: CHUNK_MS, atMs: 8000 } }, 8000 + CHUNK_MS);
      queue.take(upTo(8), 8000 + CHUNK_MS, all);
      for (const name of 'xyz') queue.add(stream(name, 60_000), 9200);
      expect(names(queue.take(upTo(8), 9200, all))).toBe(isPadded ? 'xyz' : 'x');
      queue.ranAhead(9200, 9230);
      queue.add(stream('v', 60_000), 9230);
      expect(queue.aheadFromMs(9230)).toBe(10_200);
      expect(queue.size(10_199)).toBe(0);
      expect(names(queue.take(upTo(8), 10_199, all))).toBe('');
      expect(queue.size(10_200)).toBe(isPadded ? 1 : 3);
      expect(names(queue.take(upTo(8), 10_200, all))).toBe(isPadded ? 'v' : 'y');
    },
  );

  test('three seconds after the last window of a live stream, no longer limits streams that are ahead of real time', () => {
    const queue = new ReadyQueue<Stream>({ isPadded: false });
    queue.add({ ...stream('a'), earlyMs: LIVE_EARLY_MS, pace: { aheadMs: CHUNK_MS, atMs: 8000 } }, 9120);
    queue.take(upTo(8), 9120, all);
    queue.ranAhead(9120, 10_120);
    for (const name of 'xyz') queue.add(stream(name, 60_000), 10_120);
    expect(queue.size(12_119)).toBe(0);
    expect(names(queue.take(upTo(8), 12_120, all))).toBe('xyz');
  });

  test('returns a stream as soon as it is no longer ahead of real time, even if the spare time for streams that are ahead is used up', () => {
    const queue = new ReadyQueue<Stream>({ isPadded: false });
    queue.add({ ...stream('a'), earlyMs: LIVE_EARLY_MS, pace: { aheadMs: CHUNK_MS, atMs: 8000 } }, 9120);
    queue.take(upTo(8), 9120, all);
    queue.ranAhead(9120, 10_120);
    queue.add(stream('x', 11_200 + CHUNK_MS + TOLERANCE_MS), 10_120);
    expect(queue.aheadFromMs(10_120)).toBe(11_200);
    expect(names(queue.take(upTo(8), 11_199, all))).toBe('');
    expect(names(queue.take(upTo(8), 11_200, all))).toBe('x');
  });

  test('does not limit a stream with a large backlog if its audio arrived in real time', () => {
    const queue = new ReadyQueue<Stream>({ isPadded: false });
    queue.add({ ...stream('a'), earlyMs: LIVE_EARLY_MS, pace: { aheadMs: CHUNK_MS, atMs: 8000 } }, 9120);
    queue.take(upTo(8), 9120, all);
    queue.ranAhead(9120, 10_120);
    queue.add({ ...stream('x', 60_000), earlyMs: TOLERANCE_MS + 1 }, 10_120);
    queue.add({ ...stream('y', 60_000), earlyMs: TOLERANCE_MS }, 10_120);
    expect(names(queue.take(upTo(8), 10_120, all))).toBe('y');
    expect(names(queue.take(upTo(8), 10_120, all))).toBe('');
  });

  test('treats a stream that was ahead of real time as a real-time stream when real time has nearly caught up with the stream', () => {
    const queue = new ReadyQueue<Stream>({ isPadded: false });
    queue.add(stream('x', 3000), 0);
    queue.add(stream('y', 9000), 0);
    expect(queue.size(1379)).toBe(2);
    expect(queue.size(1380)).toBe(1);
    queue.add(stream('a'), 1400);
    expect(names(queue.take(upTo(8), 1400, all))).toBe('xa');
    expect(names(queue.take(upTo(8), 1400, all))).toBe('y');
  });

  test('returns streams of only one context, which is the one whose streams have waited longest', () => {
    const queue = new ReadyQueue<Stream>({ isPadded: false });
    queue.add(stream('b', 0, '56,3'), 0);
    queue.add(stream('a'), 1);
    queue.add(stream('c', 0, '56,3'), 2);
    expect(names(queue.take(upTo(8), 3, all))).toBe('bc');
    expect(names(queue.take(upTo(8), 3, all))).toBe('a');
  });

  test('skips closed streams, and takes the next context if all streams of a context are closed', () => {
    const queue = new ReadyQueue<Stream>({ isPadded: false });
    queue.add(stream('a', 0, '56,3'), 0);
    queue.add(stream('b'), 1);
    expect(names(queue.take(upTo(8), 3, ({ name }) => name !== 'a'))).toBe('b');
    expect(names(queue.take(upTo(8), 3, all))).toBe('');
  });

  test('returns late streams after punctual ones, except in every eighth batch', () => {
    const queue = new ReadyQueue<Stream>({ isPadded: false });
    for (const name of 'abc') queue.add(stream(name), 0);
    const batches = Array.from({ length: 10 }, (_, at) => {
      for (const name of 'xy') queue.add(stream(name), 200 + at);
      return names(queue.take(upTo(2), 200 + at, all));
    });
    expect(batches).toEqual(['xy', 'xy', 'xy', 'xy', 'xy', 'xy', 'xy', 'ab', 'xy', 'xy']);
  });

  test('treats a stream as late if it has received more than 150 ms of audio beyond the end of its window', () => {
    const queue = new ReadyQueue<Stream>({ isPadded: false });
    queue.add(stream('a', 0, '56,13', 151), 0);
    queue.add(stream('b', 0, '56,13', 149), 0);
    queue.add(stream('c'), 0);
    expect(names(queue.take(upTo(2), 0, all))).toBe('bc');
    expect(queue.countSince(0)).toBe(1);
  });

  test('fills a batch with late streams if too few are punctual', () => {
    const queue = new ReadyQueue<Stream>({ isPadded: false });
    for (const name of 'abc') queue.add(stream(name), 0);
    queue.add(stream('z', 9000), 0);
    queue.add(stream('x'), 200);
    expect(names(queue.take(upTo(3), 200, all))).toBe('xab');
    expect(names(queue.take(upTo(3), 200, all))).toBe('c');
    expect(names(queue.take(upTo(3), 200, all))).toBe('z');
  });

  test('prefers a context with punctual streams to one with late streams, except in every eighth batch', () => {
    const queue = new ReadyQueue<Stream>({ isPadded: false });
    for (const name of 'ab') queue.add(stream(name, 0, '56,3'), 0);
    const batches = Array.from({ length: 9 }, (_, at) => {
      queue.add(stream('x'), 200 + at);
      return names(queue.take(upTo(2), 200 + at, all));
    });
    expect(batches).toEqual(['x', 'x', 'x', 'x', 'x', 'x', 'x', 'ab', 'xx']);
  });

  test('serves each stream within a number of batches that depends only on the batch size and the streams queued before it', () => {
    // Time passes in each step, because the order of two contexts is undefined if their streams were added at the same time.
    const passedMs = fc.integer({ min: 1, max: 60 });
    const step = fc.record({ added: fc.nat(6), passedMs, context: fc.constantFrom('56,13', '56,3') });
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 150, size: 'max' }),
        fc.integer({ min: 1, max: 4 }),
        (steps, max) => {
          const queue = new ReadyQueue<Stream>({ isPadded: false });
          /** Number of the batch by which each queued stream must be served. */
          const deadlines = new Map<string, number>();
          let nowMs = 0;
          steps.forEach(({ added, passedMs, context }, at) => {
            for (let i = 0; i < added; i++) {
              // Adds two batches, because each of the two contexts can need one that is not full.
              const batches = Math.ceil((deadlines.size + 1) / max) + 2;
              queue.add(stream(`${at}.${i}`, 0, context), nowMs);
              deadlines.set(`${at}.${i}`, at + 8 * batches);
            }
            nowMs += passedMs;
            for (const { name } of queue.take(upTo(max), nowMs, all)) {
              expect(at).toBeLessThanOrEqual(deadlines.get(name) ?? -1);
              deadlines.delete(name);
            }
          });
          for (const deadline of deadlines.values()) expect(deadline).toBeGreaterThanOrEqual(steps.length - 1);
        },
      ),
    );
  });

  test.each([1, 1.2])(
    'delays no window at a slowdown of %d (the worker keeps up), just as a queue in order of arrival delays none',
    (factor) => {
      expect(simulate(readyQueue(), factor)).toEqual(simulate(arrivalQueue(), factor));
      expect(simulate(readyQueue(), factor).lateShare).toBe(0);
    },
  );

  test.each([
    [1.6, 0.4],
    [2, 0.6],
  ])(
    'at a slowdown of %d, the share of late windows is less than %d times that of a queue in order of arrival',
    (factor, share) => {
      const [ours, arrival] = [simulate(readyQueue(), factor), simulate(arrivalQueue(), factor)];
      expect(ours.lateShare).toBeLessThan(arrival.lateShare * share);
    },
  );

  test('returns each stream exactly once and never more than the limit', () => {
    const added = fc.record({ aheadMs: fc.nat(20_000), context: fc.constantFrom('56,13', '56,3') });
    const step = fc.oneof(added, fc.record({ max: fc.integer({ min: 1, max: 5 }) }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = new ReadyQueue<Stream>({ isPadded: false });
        const [put, taken] = [new Set<string>(), new Set<string>()];
        const take = (max: number, nowMs: number) => {
          const batch = queue.take(upTo(max), nowMs, all);
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

describe('isLive', () => {
  const pace = afterChunk(START, CHUNK_MS, 5000);

  /** Value of `earlyMs` if one second of audio was recorded before the stream was open. */
  const SECOND_BEFORE_MS = -1000;

  test('is true if audio arrives in real time, even if one second of it was recorded before the stream was open', () => {
    expect(isLive({ pace, earlyMs: SECOND_BEFORE_MS }, 0)).toBe(true);
    expect(isLive({ pace, earlyMs: -5000 }, TOLERANCE_MS)).toBe(true);
  });

  test('is false for the second chunk of a file of 2 s that is sent at once', () => {
    const { aheadMs } = afterArrival(startArrival(5000), 2000, 5010);
    expect(isLive({ pace, earlyMs: aheadMs }, 0)).toBe(false);
  });

  test('is true after a window that ran late, so that the next window follows after less than the duration of a chunk', () => {
    const late = afterChunk(pace, CHUNK_MS, 5000 + 2 * CHUNK_MS - 100);
    const { aheadMs } = startArrival(5000);
    expect(isLive({ pace: afterChunk(late, CHUNK_MS, 5000 + 2 * CHUNK_MS), earlyMs: aheadMs }, 0)).toBe(true);
  });

  test('is false for a first chunk, for audio that arrives early and for a chunk that is followed by more audio', () => {
    expect(isLive({ pace: START, earlyMs: SECOND_BEFORE_MS }, 0)).toBe(false);
    expect(isLive({ pace, earlyMs: SECOND_BEFORE_MS + 1 }, 0)).toBe(false);
    expect(isLive({ pace, earlyMs: SECOND_BEFORE_MS }, TOLERANCE_MS + 1)).toBe(false);
  });
});

describe('afterArrival', () => {
  /** Returns by how many milliseconds the audio is ahead of real time after steps of `[arrivedMs, afterMs]`. */
  const early = (...steps: [arrivedMs: number, afterMs: number][]) => {
    let [pace, nowMs] = [startArrival(5000), 5000];
    for (const [arrivedMs, afterMs] of steps) pace = afterArrival(pace, arrivedMs, (nowMs += afterMs));
    return pace.aheadMs;
  };
  const times = (count: number, step: [number, number]) => Array.from({ length: count }, () => step);

  test('counts the audio of a file as early, except for the first 2 s, which a client may have recorded before the stream was open', () => {
    expect(early([2000, 0])).toBe(0);
    expect(early([2500, 0])).toBe(TOLERANCE_MS);
    expect(early(...times(60, [CHUNK_MS, 10]))).toBeGreaterThan(50 * CHUNK_MS);
  });

  test('does not count audio as early if it makes up for a gap of up to 30 s', () => {
    expect(early([0, 28_000], [29_000, 0])).toBeLessThanOrEqual(0);
    expect(early([0, 300_000], [30_500, 0])).toBe(TOLERANCE_MS);
  });

  test('counts audio as early if the clock of its client is 5 % fast, but not if that clock is 2 % fast', () => {
    expect(early(...times(300, [1020, 1000]))).toBeLessThanOrEqual(0);
    expect(early(...times(300, [1050, 1000]))).toBeGreaterThan(TOLERANCE_MS);
  });
});

describe('realTimeAt', () => {
  test('is not in the future for a stream that sends in real time', () => {
    let pace = START;
    for (let now = CHUNK_MS; now < 60_000; now += CHUNK_MS) {
      expect(realTimeAt(pace, CHUNK_MS)).toBeLessThanOrEqual(now);
      pace = afterChunk(pace, CHUNK_MS, now);
    }
  });

  test('is not in the future for a flush right after a chunk whose audio arrived up to 500 ms early', () => {
    const first = afterChunk(START, CHUNK_MS, 5000);
    const flushed = (earlyMs: number) => {
      const now = 5000 + CHUNK_MS - earlyMs;
      return realTimeAt(afterChunk(first, CHUNK_MS, now), CHUNK_MS) - now;
    };
    expect(flushed(TOLERANCE_MS)).toBe(0);
    expect(flushed(TOLERANCE_MS + 1)).toBe(1);
  });

  test('is in the future after a few chunks of a stream that sends faster than real time', () => {
    let pace = START;
    for (let i = 0; i < 4; i++) pace = afterChunk(pace, CHUNK_MS, 1000);
    expect(aheadAt(pace, 1000)).toBe(4 * CHUNK_MS);
    expect(realTimeAt(pace, CHUNK_MS)).toBe(1000 + 3 * CHUNK_MS - TOLERANCE_MS);
  });
});
