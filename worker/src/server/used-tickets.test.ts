import { Worker } from 'node:worker_threads';
import { createUsedTickets, UsedTickets } from './used-tickets.ts';

test('UsedTickets accepts a ticket only once before it expires, even if two instances with the same memory add it', () => {
  const memory = createUsedTickets();
  const [one, other] = [new UsedTickets(memory), new UsedTickets(memory)];
  expect(one.add('1 s', 2000, 1000)).toBe(true);
  expect(one.add('1 s', 2000, 1000)).toBe(false);
  expect(other.add('1 s', 9000, 1999)).toBe(false);
  expect(other.add('2 s', 2000, 1000)).toBe(true);
  expect(one.add('1 s', 3000, 2000)).toBe(true);
});

test('UsedTickets remembers 100,000 tickets, and reuses their memory after they have expired', () => {
  const used = new UsedTickets(createUsedTickets());
  const addAll = (nowMs: number) => {
    let added = 0;
    for (let epoch = 0; epoch < 100_000; epoch++) if (used.add(`${epoch} s`, nowMs + 1000, nowMs)) added++;
    return added;
  };
  expect([addAll(1000), addAll(1500), addAll(2000)]).toEqual([100_000, 0, 100_000]);
});

/**
 * Code of a thread that adds the same tickets as other threads. It reports for how many tickets its call was the first.
 */
const USER = `
  import { parentPort, workerData } from 'node:worker_threads';
  const { UsedTickets } = await import(workerData.module);
  const used = new UsedTickets(workerData.memory);
  let added = 0;
  for (let epoch = 0; epoch < 20_000; epoch++) if (used.add(epoch + ' s', 2000, 1000)) added++;
  parentPort.postMessage(added);
`;

test('if several threads add the same tickets at the same time, UsedTickets accepts each ticket from only one thread', async () => {
  const module = new URL('used-tickets.ts', import.meta.url).href;
  const workerData = { module, memory: createUsedTickets() };
  const url = new URL(`data:text/javascript,${encodeURIComponent(USER)}`);
  const added = Array.from({ length: 3 }, () => {
    return new Promise<number>((resolve, reject) => {
      new Worker(url, { workerData }).once('message', resolve).once('error', reject);
    });
  });
  expect((await Promise.all(added)).reduce((sum, count) => sum + count)).toBe(20_000);
});
