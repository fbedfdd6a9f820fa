import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createFreeSlots, FreeSlots } from './free-slots.ts';

test('FreeSlots gives out each free slot only once, and starts with the most recently released slot', () => {
  const free = createFreeSlots(3);
  const [one, other] = [new FreeSlots(free), new FreeSlots(free)];
  expect([one.take(), other.take(), one.take(), other.take()]).toEqual([0, 1, 2, undefined]);
  expect(one.size).toBe(0);
  other.release(1);
  one.release(0);
  expect([one.size, other.take(), one.take(), one.take()]).toEqual([2, 0, 1, undefined]);
});

/**
 * Code of a thread that takes and releases slots. Fails if it takes a slot that another thread holds, or if `size`
 * exceeds the number of slots.
 */
const TAKER = `
  import { workerData } from 'node:worker_threads';
  const { FreeSlots } = await import(workerData.module);
  const slots = new FreeSlots(workerData.free);
  const holders = new Int32Array(workerData.holders);
  for (let round = 0; round < 20_000; round++) {
    const taken = [slots.take(), slots.take()].filter((slot) => slot !== undefined);
    const { size } = slots;
    if (size > holders.length) throw new Error(size + ' slots are free');
    for (const slot of taken) if (Atomics.add(holders, slot, 1) !== 0) throw new Error('slot ' + slot + ' is taken twice');
    for (const slot of taken) {
      Atomics.sub(holders, slot, 1);
      slots.release(slot);
    }
  }
`;

test('FreeSlots never gives a slot to two threads at the same time, loses no slot, and never reports more free slots than exist', async () => {
  const slots = 5;
  const free = createFreeSlots(slots);
  const holders = new SharedArrayBuffer(slots * Int32Array.BYTES_PER_ELEMENT);
  const module = new URL('free-slots.ts', import.meta.url).href;
  const threads = Array.from({ length: 3 }, () => {
    const url = new URL(`data:text/javascript,${encodeURIComponent(TAKER)}`);
    return new Worker(url, { workerData: { free, holders, module } });
  });
  await Promise.all(threads.map((thread) => once(thread, 'exit')));
  const left = new FreeSlots(free);
  const taken = Array.from({ length: slots }, () => left.take());
  expect(taken.sort()).toEqual([0, 1, 2, 3, 4]);
  expect(left.take()).toBeUndefined();
});
