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

test('a busy worker that is sent away while an idle one stays is wrong', () => {
  const watch = createDrainWatch();
  watch.look('m', [worker('1', 1), worker('2', 0)]);
  watch.look('m', [worker('1', 1, true), worker('2', 0)]);
  expect(watch.wrong()).toBe(1);
});

test('a busy worker may go where all are busy, where the idle one goes too, or where it is of another revision', () => {
  const watch = createDrainWatch();
  watch.look('m', [worker('1', 1), worker('2', 1), worker('3', 0), worker('4', 0, false, 'b')]);
  watch.look('m', [worker('1', 1, true), worker('2', 1), worker('3', 0, true), worker('4', 0, false, 'b')]);
  expect([watch.wrong(), watch.counts()]).toEqual([0, { drained: 2, busy: 1 }]);
});

test('a worker that drains for long is counted once', () => {
  const watch = createDrainWatch();
  watch.look('m', [worker('1', 1)]);
  for (let times = 0; times < 3; times++) watch.look('m', [worker('1', 1, true)]);
  expect(watch.counts()).toEqual({ drained: 1, busy: 1 });
});
