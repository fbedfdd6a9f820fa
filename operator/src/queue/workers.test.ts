import { createFakeClock } from '../testing/fake-clock.ts';
import { createWorkQueue } from './queue.ts';
import { runWorkers } from './workers.ts';
import type { Outcome } from './workers.ts';

function setUp(concurrency: number, work: (key: string) => Promise<void>) {
  const clock = createFakeClock();
  const queue = createWorkQueue(clock, { baseMs: 100, maxMs: 1000 }, () => 0.999_999);
  const outcomes: Outcome[] = [];
  const ended = runWorkers({ queue, concurrency, work, onOutcome: (one) => outcomes.push(one), nowMs: clock.nowMs });
  return { clock, queue, outcomes, ended };
}

/** Lets all pending promises settle. Code that waits for a timer does not continue. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('runWorkers retries a failing key until it succeeds, then resets the failure count of the key', async () => {
  let tries = 0;
  const { clock, queue, outcomes, ended } = setUp(1, () => {
    tries += 1;
    return tries < 3 ? Promise.reject(new Error(`try ${tries}`)) : Promise.resolve();
  });
  queue.add('a');
  await settle();
  clock.advance(100);
  await settle();
  expect(tries).toBe(2);
  clock.advance(200);
  await settle();
  expect(outcomes.map(({ failures, error }) => [failures, error instanceof Error])).toEqual([
    [1, true],
    [2, true],
    [0, false],
  ]);
  clock.advance(100_000);
  await settle();
  expect(tries).toBe(3);
  queue.close();
  await ended;
});

test('runWorkers processes several keys in parallel, but never one key twice at a time, and ends after the last key', async () => {
  const running = new Set<string>();
  let most = 0;
  const finish: (() => void)[] = [];
  const { queue, ended } = setUp(2, async (key) => {
    expect(running.has(key)).toBe(false);
    running.add(key);
    most = Math.max(most, running.size);
    await new Promise<void>((resolve) => finish.push(resolve));
    running.delete(key);
  });
  for (const key of ['a', 'b', 'c', 'a']) queue.add(key);
  await settle();
  queue.add('a');
  expect([...running]).toEqual(['a', 'b']);
  for (let n = 0; n < 3; n++) {
    for (const done of finish.splice(0)) done();
    await settle();
  }
  expect(most).toBe(2);
  queue.add('z');
  await settle();
  queue.close();
  let over = false;
  void ended.then(() => (over = true));
  await settle();
  expect(over).toBe(false);
  for (const done of finish.splice(0)) done();
  await ended;
});
