import { isBeingRestarted, isSuccessor } from './restart.ts';
import type { WorkerPod } from './pod.ts';

const pod = (set: string, changes: Partial<WorkerPod> = {}) =>
  ({ revision: 'r', set, terminating: false, scheduled: true, pending: false, ...changes }) as WorkerPod;
const waiting = { scheduled: false, pending: true };
/** An image that cannot be pulled. */
const pulling = { scheduled: true, pending: true };

test.each([waiting, pulling])('a successor that has not started replaces nobody yet (%j)', (state) => {
  const [old, next] = [pod('a'), pod('b', state)];
  expect(isBeingRestarted(old, [old, next])).toBe(false);
  expect([isBeingRestarted(next, [old, next]), isSuccessor(next, [old, next])]).toEqual([true, true]);
});

test('once it has started both are Kubernetes’ to choose from, until the one before goes', () => {
  const [old, next] = [pod('a'), pod('b')];
  expect([old, next].map((one) => isBeingRestarted(one, [old, next]))).toEqual([true, true]);
  expect(isSuccessor(next, [old, next])).toBe(false);
  expect(isBeingRestarted(next, [pod('a', { terminating: true }), next])).toBe(false);
});

test('pods of one ReplicaSet, or of other revisions, are no restart', () => {
  const one = pod('a');
  expect(isBeingRestarted(one, [one, pod('a'), pod('b', { revision: 'other' })])).toBe(false);
});
