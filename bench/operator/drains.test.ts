import type { WorkerRecord } from '@svc-asr/ledger';
import { createDrainWatch } from './drains.ts';

const worker = (id: string, active: number, draining = false, revision = 'a'): WorkerRecord => ({
  id,
  active,
  draining,
  revision,
  address: '',
  slots: 2,
  leaseUntilMs: 0,
});

test('createDrainWatch counts a drain as wrong if a busy worker drains while an idle worker of the same revision does not', () => {
  const watch = createDrainWatch();
  watch.observe('m', [worker('1', 1), worker('2', 0)]);
  watch.observe('m', [worker('1', 1, true), worker('2', 0)]);
  expect(watch.wrong()).toBe(1);
});

test('createDrainWatch accepts the drain of a busy worker if every idle worker of its revision drains too', () => {
  const watch = createDrainWatch();
  watch.observe('m', [worker('1', 1), worker('2', 1), worker('3', 0), worker('4', 0, false, 'b')]);
  watch.observe('m', [worker('1', 1, true), worker('2', 1), worker('3', 0, true), worker('4', 0, false, 'b')]);
  expect([watch.wrong(), watch.counts()]).toEqual([0, { drained: 2, busy: 1 }]);
});

test('createDrainWatch counts a worker only once, however long it drains', () => {
  const watch = createDrainWatch();
  watch.observe('m', [worker('1', 1)]);
  for (let times = 0; times < 3; times++) watch.observe('m', [worker('1', 1, true)]);
  expect(watch.counts()).toEqual({ drained: 1, busy: 1 });
});
