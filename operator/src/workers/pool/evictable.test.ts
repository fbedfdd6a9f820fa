import type { WorkerRecord } from '@svc-asr/ledger';
import { countEvictable } from './evictable.ts';

const workers = (...slots: number[]) => slots.map((count, at) => ({ id: `w${at}`, slots: count }) as WorkerRecord);

test.each([
  ['no worker of a full pool', [2, 2], 4, 0],
  ['no worker of a pool with fewer free slots than a worker has', [2, 2], 3, 0],
  ['the only worker if it is idle', [2], 0, 1],
  ['no worker if the only worker has a stream', [2], 1, 0],
  ['one worker if the others have enough slots', [2, 2, 2], 4, 1],
  ['no worker if the streams need the slots of the largest worker', [8, 2, 2], 5, 0],
  ['all workers of an idle pool', [2, 2, 2], 0, 3],
  ['no worker if the streams exceed the slots', [2], 5, 0],
])('countEvictable allows the eviction of %s', (_what, slots, demand, allowed) => {
  expect(countEvictable(workers(...slots), demand)).toBe(allowed);
});
