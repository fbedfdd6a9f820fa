import { isBeingRestarted, isSuccessor } from './restart.ts';
import type { WorkerPod } from './pod.ts';

const pod = (set: string, changes: Partial<WorkerPod> = {}) =>
  ({ revision: 'r', set, terminating: false, scheduled: true, pending: false, ...changes }) as WorkerPod;
const waiting = { scheduled: false, pending: true };
/** State of a pod whose image is being pulled. */
const pulling = { scheduled: true, pending: true };

test.each([waiting, pulling])(
  'a pod does not count as being restarted before its replacement has started, but the replacement does (%j)',
  (state) => {
    const [old, next] = [pod('a'), pod('b', state)];
    expect(isBeingRestarted(old, [old, next])).toBe(false);
    expect([isBeingRestarted(next, [old, next]), isSuccessor(next, [old, next])]).toEqual([true, true]);
  },
);

test('a pod and its replacement count as being restarted from the start of the replacement to the deletion of the pod', () => {
  const [old, next] = [pod('a'), pod('b')];
  expect([old, next].map((one) => isBeingRestarted(one, [old, next]))).toEqual([true, true]);
  expect(isSuccessor(next, [old, next])).toBe(false);
  expect(isBeingRestarted(next, [pod('a', { terminating: true }), next])).toBe(false);
});

test('pods of one ReplicaSet, or of different revisions, do not count as being restarted', () => {
  const one = pod('a');
  expect(isBeingRestarted(one, [one, pod('a'), pod('b', { revision: 'other' })])).toBe(false);
});
