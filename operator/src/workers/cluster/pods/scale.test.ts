import type { WorkerPod } from './pod.ts';
import { decideScale } from './scale.ts';
import type { WorkerReplicaSet } from './replica-sets.ts';
import { startedPod as pod } from '../../testing/simulated-cluster.ts';

/** Returns a ReplicaSet whose controller has seen all of these pods. */
const setOf = (pods: readonly WorkerPod[], changes: Partial<WorkerReplicaSet> = {}): WorkerReplicaSet => {
  const active = pods.filter(({ terminating, ended }) => !terminating && !ended);
  const chosen = active.filter(({ selectedForRemoval }) => selectedForRemoval).length;
  return {
    hash: 's',
    replicas: pods.length,
    observedPods: active.length,
    observedSelected: chosen,
    upToDate: true,
    hasPhaseLabel: true,
    ...changes,
  };
};
const decide = (count: number, ...pods: WorkerPod[]) => decideBy({}, count, ...pods);
const decideBy = (seen: Partial<WorkerReplicaSet>, count: number, ...pods: WorkerPod[]) => {
  const sets = [setOf(pods, seen)];
  const { replicas, remove } = decideScale({ count, replicas: pods.length, pods, sets });
  return { replicas, remove: remove.map(({ name }) => name) };
};
const going = { selectedForRemoval: true, ready: false };

test('decideScale sets the wanted replicas, but removes no running pod that was not selected for removal', () => {
  expect(decide(3)).toEqual({ replicas: 3, remove: [] });
  expect(decide(1, pod('a'), pod('b'))).toEqual({ replicas: 2, remove: [] });
  expect(decide(0, pod('a', { terminating: true }), pod('b', { ended: true }))).toEqual({ replicas: 0, remove: [] });
});

test('decideScale does not raise replicas if there are more pods than replicas', () => {
  const pods = [pod('a'), pod('b'), pod('c')];
  const sets = [setOf(pods, { replicas: 50 })];
  expect(decideScale({ count: 2, replicas: 2, pods, sets })).toEqual({ replicas: 2, remove: [] });
  expect(decideScale({ count: 2, replicas: undefined, pods, sets })).toEqual({ replicas: 2, remove: [] });
  expect(decideScale({ count: 2, replicas: 50, pods, sets })).toEqual({ replicas: 3, remove: [] });
});

test('decideScale lowers replicas and deletes no pod itself if Kubernetes will then remove the pod that was selected for removal', () => {
  expect(decide(1, pod('a'), pod('b', going))).toEqual({ replicas: 1, remove: [] });
  expect(decide(1, pod('a'), pod('b', { selectedForRemoval: true }))).toEqual({ replicas: 1, remove: [] });
});

test('decideScale itself deletes the pod selected for removal if Kubernetes would instead remove a pod that has not started', () => {
  const starting = { scheduled: false, pending: true, running: false, ready: false };
  expect(decide(2, pod('a'), pod('b', going), pod('c', starting))).toEqual({ replicas: 2, remove: ['b'] });
});

test('decideScale deletes the pod selected for removal without lowering replicas if lowering could remove another pod that may have streams', () => {
  const flapping = pod('c', { ready: false });
  expect(decide(1, pod('b', { selectedForRemoval: true }), flapping)).toEqual({ replicas: 2, remove: ['b'] });
});

test.each([
  ['has not seen which pods are selected for removal', { observedSelected: 0 }],
  ['has not seen all pods', { observedPods: 1 }],
  ['has not seen that pods have ended', { observedPods: 3 }],
  ['has not received the replicas of the Deployment', { replicas: 1 }],
  ['has not seen the latest change', { upToDate: false }],
])('decideScale removes nothing while the ReplicaSet controller %s', (_, seen: Partial<WorkerReplicaSet>) => {
  expect(decideBy(seen, 1, pod('a'), pod('b', going))).toEqual({ replicas: 2, remove: [] });
});

test('decideScale lowers replicas by the number of pods that the ReplicaSet controller has seen as selected for removal', () => {
  const pods = [pod('a'), pod('b', going), pod('c', going), pod('d', going)];
  expect(decideBy({ observedSelected: 2 }, 1, ...pods)).toEqual({ replicas: 2, remove: [] });
});

test('decideScale removes nothing while pods of two ReplicaSets of a restarting Deployment have started', () => {
  const pods = [pod('a'), pod('b', going)];
  const sets = [setOf(pods), { ...setOf(pods), hash: 'another' }];
  expect(decideScale({ count: 1, replicas: 2, pods, sets })).toEqual({ replicas: 2, remove: [] });
  const left = [setOf(pods), { ...setOf([]), hash: 'another' }];
  expect(decideScale({ count: 1, replicas: 2, pods, sets: left })).toEqual({ replicas: 1, remove: [] });
});

test('during a restart, decideScale lowers the replicas by the pods that are selected for removal, even if the replacement pod has not started', () => {
  const pods = [pod('a'), pod('b', going), pod('c', going)];
  const next = pod('next', { set: 'another', scheduled: false, pending: true, running: false, ready: false });
  const another = { ...setOf([next]), hash: 'another' };
  const decided = (count: number, own: WorkerPod[]) =>
    decideScale({ count, replicas: 3, pods: [...own, next], sets: [setOf(own), another] });
  expect(decided(1, pods)).toEqual({ replicas: 1, remove: [] });
  expect(decided(1, [pod('a'), pod('b'), pod('c', going)])).toEqual({ replicas: 2, remove: [] });
  // The ReplicaSet controller has not seen the selections.
  const unseen = { ...setOf(pods), observedSelected: 0 };
  expect(decideScale({ count: 1, replicas: 3, pods: [...pods, next], sets: [unseen, another] })).toEqual({
    replicas: 3,
    remove: [],
  });
});

test('decideScale removes all pods during a restart if all are selected for removal and no replicas are wanted', () => {
  const pods = [pod('a', going), pod('b', going), pod('next', { ...going, set: 'another' })];
  const sets = [setOf(pods.slice(0, 2)), { ...setOf(pods.slice(2)), hash: 'another' }];
  expect(decideScale({ count: 0, replicas: 2, pods, sets })).toEqual({ replicas: 0, remove: [] });
});

test('if the ReplicaSet has no phase label, decideScale determines from the pods how many are selected for removal', () => {
  expect(decideBy({ observedSelected: 0, hasPhaseLabel: false }, 1, pod('a'), pod('b', going))).toEqual({
    replicas: 1,
    remove: [],
  });
});

test('if the wanted replicas do not decrease, decideScale itself deletes a pod selected for removal, so that Kubernetes replaces the pod', () => {
  expect(decide(2, pod('a'), pod('b', going))).toEqual({ replicas: 2, remove: ['b'] });
});
