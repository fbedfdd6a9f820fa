import fc from 'fast-check';
import type { WorkerPod } from './pod.ts';
import { decideScale } from './scale.ts';

const pod = (name: string, changes: Partial<WorkerPod> = {}): WorkerPod => ({
  name,
  uid: name,
  model: 'm',
  revision: 'r',
  set: 's',
  terminating: false,
  over: false,
  condemned: false,
  scheduled: true,
  pending: false,
  running: true,
  ready: true,
  restarts: 0,
  unschedulable: undefined,
  mounted: true,
  trouble: undefined,
  ...changes,
});
const decide = (count: number, ...pods: WorkerPod[]) => {
  const { replicas, remove } = decideScale({ count, replicas: pods.length, pods });
  return { replicas, remove: remove.map(({ name }) => name) };
};
const going = { condemned: true, ready: false };

test('has as many as are wanted, and none of those that run goes without being chosen', () => {
  expect(decide(3)).toEqual({ replicas: 3, remove: [] });
  expect(decide(1, pod('a'), pod('b'))).toEqual({ replicas: 2, remove: [] });
  expect(decide(0, pod('a', { terminating: true }), pod('b', { over: true }))).toEqual({ replicas: 0, remove: [] });
});

test('never wants more because there are more: who made them takes them away, or the pool chooses', () => {
  const pods = [pod('a'), pod('b'), pod('c')];
  expect(decideScale({ count: 2, replicas: 2, pods })).toEqual({ replicas: 2, remove: [] });
  expect(decideScale({ count: 2, replicas: undefined, pods })).toEqual({ replicas: 2, remove: [] });
  expect(decideScale({ count: 2, replicas: 50, pods })).toEqual({ replicas: 3, remove: [] });
});

test('leaves the one that was chosen to Kubernetes where that would take it', () => {
  expect(decide(1, pod('a'), pod('b', going))).toEqual({ replicas: 1, remove: [] });
  expect(decide(1, pod('a'), pod('b', { condemned: true }))).toEqual({ replicas: 1, remove: [] });
});

test('takes it away itself where Kubernetes would take another one that is not up yet', () => {
  const starting = { scheduled: false, pending: true, running: false, ready: false };
  expect(decide(2, pod('a'), pod('b', going), pod('c', starting))).toEqual({ replicas: 2, remove: ['b'] });
  expect(decide(1, pod('b', { condemned: true }), pod('c', { ready: false }))).toEqual({ replicas: 1, remove: ['b'] });
});

test('takes it away itself where it is to be replaced, so that Kubernetes makes another', () => {
  expect(decide(2, pod('a'), pod('b', going))).toEqual({ replicas: 2, remove: ['b'] });
});

test('whatever Kubernetes does with it, in the end there are as many as are wanted and no chosen one is left', () => {
  const arbitrary = fc.record({
    condemned: fc.boolean(),
    scheduled: fc.boolean(),
    pending: fc.boolean(),
    ready: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(arbitrary, { maxLength: 8 }), fc.nat(8), fc.boolean(), (found, count, slowly) => {
      let made = 0;
      const isValid = ({ scheduled, pending, ready }: { scheduled: boolean; pending: boolean; ready: boolean }) =>
        !(pending && ready) && !(ready && !scheduled);
      let pods = found.filter(isValid).map((changes, at) => pod(`p${at}`, changes));
      const staying = pods.filter(({ condemned }) => !condemned).map(({ name }) => name);
      let replicas = pods.length;
      for (let turn = 0; turn < 30; turn++) {
        const decision = decideScale({ count, replicas, pods });
        const { remove } = decision;
        ({ replicas } = decision);
        for (const one of remove) expect(one.condemned).toBe(true);
        pods = pods.filter((one) => !remove.includes(one));
        // The controller acts now, or sees the decision a turn later.
        if (slowly && turn % 2 === 0) continue;
        const excess = pods.length - replicas;
        if (excess > 0) pods = pods.toSorted(asReplicaSet).slice(excess);
        while (pods.length < replicas)
          pods.push(pod(`new${made++}`, { scheduled: false, pending: true, ready: false }));
      }
      expect(pods.every(({ condemned }) => !condemned)).toBe(true);
      expect(pods.length).toBe(Math.max(count, staying.length));
      // Whoever was ready and was not chosen is still there.
      const kept = new Set(pods.map(({ name }) => name));
      for (const name of staying) if (found.length > 0) expect(kept.has(name)).toBe(true);
    }),
  );
});

/** The order of a ReplicaSet: what is not placed, then not started, then not ready, then by cost. */
function asReplicaSet(a: WorkerPod, b: WorkerPod): number {
  return (
    Number(a.scheduled) - Number(b.scheduled) ||
    Number(b.pending) - Number(a.pending) ||
    Number(a.ready) - Number(b.ready) ||
    Number(b.condemned) - Number(a.condemned)
  );
}
