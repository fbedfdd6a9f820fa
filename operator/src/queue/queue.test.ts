import fc from 'fast-check';
import { createFakeClock } from '../testing/fake-clock.ts';
import { createWorkQueue } from './queue.ts';

const backoff = { baseMs: 100, maxMs: 1000 };

function setUp(random = 0.999_999) {
  const clock = createFakeClock();
  return { clock, queue: createWorkQueue(clock, backoff, () => random) };
}

test('the queue returns keys in the order in which they were added', async () => {
  const { queue } = setUp();
  for (const key of ['b', 'a', 'c']) queue.add(key);
  expect([await queue.take(), await queue.take(), await queue.take()]).toEqual(['b', 'a', 'c']);
});

test('the queue keeps only one entry for a key that is added again before the key is taken', async () => {
  const { queue } = setUp();
  for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
  expect(queue.depth()).toEqual({ ready: 2, inFlight: 0, delayed: 0 });
  expect([await queue.take(), await queue.take()]).toEqual(['a', 'b']);
});

test('the queue returns keys that were added with addLast() after all other keys, and add() moves such a key forward', async () => {
  const { queue } = setUp();
  for (const key of ['resync1', 'resync2', 'changed']) queue.addLast(key);
  queue.add('new');
  queue.addLast('new');
  queue.add('changed');
  expect(queue.depth()).toEqual({ ready: 4, inFlight: 0, delayed: 0 });
  const taken = [await queue.take(), await queue.take(), await queue.take(), await queue.take()];
  expect(taken).toEqual(['new', 'changed', 'resync1', 'resync2']);
});

test('addLast() of a key in flight queues the key again after done() was called for it', async () => {
  const { queue } = setUp();
  const taken = queue.take();
  queue.addLast('a');
  expect(await taken).toBe('a');
  queue.addLast('a');
  expect(queue.depth()).toEqual({ ready: 0, inFlight: 1, delayed: 0 });
  queue.done('a');
  expect(await queue.take()).toBe('a');
});

test('a key that is added several times while it is in flight is queued exactly one more time when done() is called for it', async () => {
  const { queue } = setUp();
  queue.add('a');
  await queue.take();
  queue.add('a');
  queue.add('a');
  expect(queue.depth()).toEqual({ ready: 0, inFlight: 1, delayed: 0 });
  queue.done('a');
  expect(queue.depth()).toEqual({ ready: 1, inFlight: 0, delayed: 0 });
  expect(await queue.take()).toBe('a');
  queue.done('a');
  expect(queue.depth().ready).toBe(0);
});

test('each of several concurrent calls of take() receives a different key', async () => {
  const { queue } = setUp();
  const takers = [queue.take(), queue.take()];
  queue.add('a');
  queue.add('a');
  queue.add('b');
  expect(await Promise.all(takers)).toEqual(['a', 'b']);
});

test('addAfter() adds a key after its delay, and the shortest of several delays applies', () => {
  const { queue, clock } = setUp();
  queue.addAfter('a', 500);
  queue.addAfter('a', 200);
  queue.addAfter('a', 900);
  clock.advance(199);
  expect(queue.depth()).toEqual({ ready: 0, inFlight: 0, delayed: 1 });
  clock.advance(1);
  expect(queue.depth()).toEqual({ ready: 1, inFlight: 0, delayed: 0 });
  clock.advance(10_000);
  expect(queue.depth().ready).toBe(1);
});

test('add() immediately queues a key that waits for its retry', async () => {
  const { queue } = setUp();
  queue.retry('a');
  queue.add('a');
  expect(await queue.take()).toBe('a');
});

test('the retry delay doubles with each failure up to the maximum, and forget() resets it', () => {
  const { queue, clock } = setUp();
  const waited = () => {
    const before = clock.nowMs();
    queue.retry('a');
    while (queue.depth().delayed > 0) clock.advance(1);
    return clock.nowMs() - before;
  };
  expect([waited(), waited(), waited(), waited(), waited(), waited()]).toEqual([100, 200, 400, 800, 1000, 1000]);
  expect(queue.failures('a')).toBe(6);
  queue.forget('a');
  expect(queue.failures('a')).toBe(0);
  expect(waited()).toBe(100);
});

test('the queue counts failures per key', () => {
  const { queue, clock } = setUp();
  for (let n = 0; n < 5; n++) queue.retry('a');
  queue.retry('b');
  expect([queue.failures('a'), queue.failures('b')]).toEqual([5, 1]);
  clock.advance(100);
  expect(queue.depth().ready).toBe(2);
});

test('a closed queue returns no keys', async () => {
  const { queue, clock } = setUp();
  queue.add('a');
  expect(await queue.take()).toBe('a');
  queue.add('b');
  queue.retry('c');
  const { queue: empty } = setUp();
  const waiting = empty.take();
  empty.close();
  expect(await waiting).toBeUndefined();
  queue.close();
  queue.done('a');
  queue.add('d');
  queue.addAfter('e', 1);
  clock.advance(10_000);
  expect(queue.depth()).toEqual({ ready: 0, inFlight: 0, delayed: 0 });
  expect(await queue.take()).toBeUndefined();
});

type Step = { do: 'add' | 'addLast' | 'retry' | 'addAfter'; key: string } | { do: 'take' | 'done' | 'advance' };

const key = fc.constantFrom('a', 'b', 'c', 'd');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('add' as const, 'addLast' as const, 'retry' as const, 'addAfter' as const), key }),
  fc.record({ do: fc.constantFrom('take' as const, 'done' as const, 'advance' as const) }),
);

test('for any sequence of calls, no key is in flight twice and no added key is lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 200 }), async (steps) => {
      const { queue, clock } = setUp(0.5);
      const held: string[] = [];
      /** Keys that were added since they were last taken, and must be taken again. */
      const owed = new Set<string>();
      const take = async () => {
        const taken = await queue.take();
        expect(held).not.toContain(taken);
        held.push(taken!);
        owed.delete(taken!);
      };
      for (const what of steps) {
        switch (what.do) {
          case 'add':
            queue.add(what.key);
            owed.add(what.key);
            break;
          case 'addLast':
            queue.addLast(what.key);
            owed.add(what.key);
            break;
          case 'retry':
            queue.retry(what.key);
            owed.add(what.key);
            break;
          case 'addAfter':
            queue.addAfter(what.key, 50);
            owed.add(what.key);
            break;
          case 'take':
            if (queue.depth().ready > 0) await take();
            break;
          case 'done':
            if (held.length > 0) queue.done(held.shift()!);
            break;
          case 'advance':
            clock.advance(75);
            break;
        }
        expect(queue.depth().inFlight).toBe(held.length);
      }
      while (held.length > 0 || queue.depth().ready > 0 || queue.depth().delayed > 0) {
        clock.advance(backoff.maxMs);
        while (queue.depth().ready > 0) await take();
        while (held.length > 0) queue.done(held.shift()!);
      }
      expect([...owed]).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
