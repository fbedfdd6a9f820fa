import { isBeingRestarted, isSuccessor } from './restart.ts';
import type { WorkerPod } from './pod.ts';

const pod = (set: string, changes: Partial<WorkerPod> = {}) =>
  ({ revision: 'r', set, terminating: false, scheduled: true, pending: false, ...changes }) as WorkerPod;
const waiting = { scheduled: false, pending: true };
/** State of a pod whose image is being pulled. */
const pulling = { scheduled: true, pending: true };

test.each([waiting, pulling])(
  'before a replacement pod has started, isBeingRestarted is true for the replacement and false for the old pod (replacement: %j)',
  (state) => {
    const [old, next] = [pod('a'), pod('b', state)];
    expect(isBeingRestarted(old, [old, next])).toBe(false);
    expect([isBeingRestarted(next, [old, next]), isSuccessor(next, [old, next])]).toEqual([true, true]);
  },
);

test('isBeingRestarted is true for an old pod and its replacement from the start of the replacement until the old pod is deleted', () => {
  const [old, next] = [pod('a'), pod('b')];
  expect([old, next].map((one) => isBeingRestarted(one, [old, next]))).toEqual([true, true]);
  expect(isSuccessor(next, [old, next])).toBe(false);
  expect(isBeingRestarted(next, [pod('a', { terminating: true }), next])).toBe(false);
});

test('isBeingRestarted is false if the other pods are of the same ReplicaSet or of another revision', () => {
  const one = pod('a');
  expect(isBeingRestarted(one, [one, pod('a'), pod('b', { revision: 'other' })])).toBe(false);
});
