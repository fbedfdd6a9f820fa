import { createEventQueue } from './event-queue.ts';

async function all<T>(events: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const event of events) list.push(event);
  return list;
}

test('createEventQueue delivers all events in order, including events that preceded the start of the loop, and then ends', async () => {
  const queue = createEventQueue<number>();
  queue.push(1);
  const reading = all(queue.iterate());
  queue.push(2);
  await Promise.resolve();
  queue.push(3);
  queue.end();
  expect(await reading).toEqual([1, 2, 3]);
  expect(await all(queue.iterate())).toEqual([]);
});

test('a loop over the event queue continues where the previous loop stopped', async () => {
  const queue = createEventQueue<number>();
  [1, 2, 3].forEach(queue.push);
  queue.end();
  for await (const event of queue.iterate()) if (event === 2) break;
  expect(await all(queue.iterate())).toEqual([3]);
});

test('the event queue delivers an error to pending and later readers, after all events that preceded it', async () => {
  const queue = createEventQueue<number>();
  queue.push(1);
  const iterator = queue.iterate();
  expect(await iterator.next()).toEqual({ done: false, value: 1 });
  const waiting = iterator.next();
  queue.end(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  await expect(all(queue.iterate())).rejects.toThrow('gone');
});
