import { isDeepStrictEqual } from 'node:util';
import { KubernetesError, TYPES } from '@svc-asr/kubernetes';
import { createNotices } from '../../notices.ts';
import { systemClock } from '../../queue/clock.ts';
import { createClusterApi } from '../../testing/cluster-api.ts';
import type { ClusterApi } from '../../testing/cluster-api.ts';
import { INSTALLATION, templateOf } from '../../testing/cluster-models.ts';
import { eventually } from '../../testing/eventually.ts';
import { createTestLogger } from '../../testing/logs.ts';
import { model } from '../../testing/resources.ts';
import type { EndedWorker, WorkerRuntime } from '../runtime.ts';
import type { RolloutMemory } from '../pool/rollout-memory.ts';
import { ANNOTATIONS, LABELS, PHASES, revisionName } from './names.ts';
import { createClusterRuntime } from './runtime.ts';

const OLD = templateOf(model('m', { worker: { image: 'worker:1' } }), INSTALLATION, 'uid');
const NEW = templateOf(model('m', { worker: { image: 'worker:2' } }), INSTALLATION, 'uid');
const NAME = revisionName('m', OLD.revision);
/** Service account, settings, network policy, service, budget, Deployment. */
const OBJECTS = 6;

let cluster: ClusterApi;
let runtime: WorkerRuntime;
let rollouts: RolloutMemory;
let ended: EndedWorker[];
let changed: string[];
let events: string[];
let names: Set<string>;
let lines: { level: string; message: string }[];

beforeEach(async () => {
  cluster = createClusterApi();
  ended = [];
  changed = [];
  events = [];
  names = new Set();
  const test = createTestLogger();
  ({ lines } = test);
  ({ runtime, rollouts } = createClusterRuntime({
    api: cluster.api,
    reflect: cluster.reflect,
    installation: INSTALLATION,
    events: {
      record: (object, type, reason) => void events.push(`${type} ${object.kind}/${object.metadata.name} ${reason}`),
    },
    patienceMs: 1000,
    overdueMs: 0,
    concurrency: 2,
    retry: { baseMs: 5, maxMs: 20 },
    logger: test.logger,
    notices: createNotices(),
    clock: systemClock,
  }));
  await runtime.open(
    (worker) => ended.push(worker),
    (name) => changed.push(name),
  );
});
afterEach(() => runtime.close());

const pod = (name: string, revision = OLD.revision, status: object = {}) => {
  names.add(name);
  cluster.put(TYPES.Pod, {
    metadata: { name, labels: { [LABELS.model]: 'm', [LABELS.revision]: revision } },
    spec: { nodeName: 'n' },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], ...status },
  });
};
/** Does as the ReplicaSet controller does: tells what it knows of the pods of a revision. */
const tellSet = (revision: string) => {
  const name = revisionName('m', revision);
  const found = [...names].flatMap((one) => cluster.get(TYPES.Pod, one) ?? []);
  const own = found.filter(({ metadata }) => metadata.labels?.[LABELS.revision] === revision);
  const staying = own.filter(({ metadata }) => metadata.labels?.[LABELS.phase] !== PHASES.leaving);
  const set = {
    metadata: {
      name,
      generation: 1,
      labels: { [LABELS.model]: 'm', [LABELS.revision]: revision, [LABELS.phase]: 'x' },
    },
    spec: { replicas: replicas(name) },
    status: { replicas: own.length, fullyLabeledReplicas: staying.length, observedGeneration: 1 },
  };
  const before = cluster.get(TYPES.ReplicaSet, name);
  if (!isDeepStrictEqual([before?.spec, before?.status], [set.spec, set.status])) cluster.put(TYPES.ReplicaSet, set);
};
const replicas = (name = NAME) =>
  (cluster.get(TYPES.Deployment, name)?.spec as { replicas?: number } | undefined)?.replicas;
/** Waits until nothing is written any more. */
const settled = async () => {
  let before = -1;
  await eventually(() => {
    for (const { revision } of [OLD, NEW]) tellSet(revision);
    const now = cluster.writes.length;
    const quiet = now === before;
    before = now;
    expect(quiet).toBe(true);
  });
  await new Promise((resolve) => setTimeout(resolve, 30));
};
const ensure = async (count: number, template = OLD) => {
  runtime.ensure(template, count);
  runtime.forget('m', [template.revision]);
  await settled();
};

test('makes everything that the workers of a model need, and writes nothing more while it is as it should be', async () => {
  await ensure(2);
  expect(cluster.writes).toHaveLength(OBJECTS);
  expect(cluster.writes.at(-1)).toBe(`apply Deployment/${NAME}`);
  expect(replicas()).toBe(2);
  for (let look = 0; look < 5; look++) await ensure(2);
  expect(cluster.writes).toHaveLength(OBJECTS);
});

test('writes nothing again while no news of what it wrote have come', async () => {
  cluster.holdNews(true);
  for (let look = 0; look < 5; look++) await ensure(2);
  expect(cluster.writes).toHaveLength(OBJECTS);
});

test('puts right what others changed, and does not insist where something changes it back', async () => {
  await ensure(1);
  const live = cluster.get(TYPES.Deployment, NAME)!;
  cluster.put(TYPES.Deployment, { ...live, spec: { ...(live.spec as object), progressDeadlineSeconds: 1 } });
  await ensure(1);
  expect(cluster.get(TYPES.Deployment, NAME)).toMatchObject({ spec: { progressDeadlineSeconds: 3600 } });
  cluster.mutate((object) =>
    object.kind === 'Deployment'
      ? { ...object, spec: { ...(object.spec as object), progressDeadlineSeconds: 2 } }
      : object,
  );
  cluster.put(TYPES.Deployment, { ...live, spec: { ...(live.spec as object), progressDeadlineSeconds: 1 } });
  const before = cluster.writes.length;
  for (let look = 0; look < 5; look++) await ensure(1);
  expect(cluster.writes.length - before).toBe(1);
  expect(lines.map(({ message }) => message).join()).toContain('is not what was applied');
});

test('goes up at once and never down by itself; who is stopped is marked first, and one less is wanted', async () => {
  await ensure(1);
  for (const name of ['a', 'b', 'c']) pod(name);
  await ensure(3);
  expect(replicas()).toBe(3);
  await ensure(1);
  expect(replicas()).toBe(3);
  const from = cluster.writes.length;
  runtime.stop('b');
  expect(runtime.list('m').filter(({ stopping }) => stopping)).toMatchObject([{ id: 'b' }]);
  await settled();
  expect(cluster.writes.slice(from)).toEqual(['patch Pod/b', `patch Deployment/${NAME}`]);
  expect(cluster.get(TYPES.Pod, 'b')?.metadata.annotations).toMatchObject({
    [ANNOTATIONS.stopping]: 'drained',
    [ANNOTATIONS.deletionCost]: expect.stringMatching(/^-/),
  });
  expect(replicas()).toBe(2);
  for (let look = 0; look < 3; look++) await ensure(1);
  expect(replicas()).toBe(2);
  cluster.remove(TYPES.Pod, 'b');
  expect(ended).toMatchObject([{ id: 'b', model: 'm', asked: true }]);
});

test('an operator after this one finds who was chosen to go', async () => {
  await ensure(2);
  for (const name of ['a', 'b']) pod(name);
  const chosen = cluster.get(TYPES.Pod, 'b')!;
  cluster.put(TYPES.Pod, {
    ...chosen,
    metadata: {
      ...chosen.metadata,
      annotations: { [ANNOTATIONS.stopping]: 'drained' },
      labels: { ...chosen.metadata.labels, [LABELS.phase]: PHASES.leaving },
    },
  });
  expect(runtime.list('m')).toMatchObject([
    { id: 'a', stopping: false },
    { id: 'b', stopping: true },
  ]);
  await ensure(1);
  expect(replicas()).toBe(1);
});

test('takes a worker that failed away itself where Kubernetes would take the one that replaces it', async () => {
  await ensure(2);
  pod('hung');
  pod('next', OLD.revision, { conditions: [] });
  runtime.stop('hung', 'it hangs');
  await ensure(1);
  expect(cluster.get(TYPES.Pod, 'hung')).toBeUndefined();
  expect(cluster.get(TYPES.Pod, 'next')).toBeDefined();
});

test('another revision has a Deployment of its own; that of the old one goes with its last pod', async () => {
  await ensure(1);
  pod('old');
  runtime.ensure(NEW, 1);
  runtime.keep('m', OLD.revision, 1);
  runtime.forget('m', [NEW.revision, OLD.revision]);
  await settled();
  expect([replicas(), replicas(revisionName('m', NEW.revision))]).toEqual([1, 1]);
  runtime.stop('old');
  await ensure(1, NEW);
  expect(replicas()).toBe(0);
  cluster.remove(TYPES.Pod, 'old');
  await ensure(1, NEW);
  expect(cluster.get(TYPES.Deployment, NAME)).toBeUndefined();
  expect(cluster.get(TYPES.ConfigMap, NAME)).toBeUndefined();
  expect(cluster.get(TYPES.Deployment, revisionName('m', NEW.revision))).toBeDefined();
  expect(cluster.get(TYPES.ServiceAccount, 'm-workers')).toBeDefined();
});

test('a revision without workers stays for as long as it may be needed again', async () => {
  await ensure(0);
  runtime.ensure(NEW, 1);
  runtime.forget('m', [NEW.revision, OLD.revision]);
  await settled();
  expect(replicas()).toBe(0);
});

test('a pod that does not end holds up nothing of a deleted model, and the model says so', async () => {
  await ensure(1);
  pod('a');
  runtime.stop('a');
  runtime.forget('m', []);
  await settled();
  const live = cluster.get(TYPES.Pod, 'a')!;
  cluster.put(TYPES.Pod, { ...live, metadata: { ...live.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
  expect(runtime.list('m')).toEqual([]);
  runtime.forget('m', []);
  await settled();
  expect(cluster.get(TYPES.Deployment, NAME)).toBeUndefined();
  expect(runtime.models()).toEqual([]);
  expect(events).toEqual(['Warning ASRModel/m WorkerStuck']);
});

test('tells of every change of what a model has', async () => {
  await ensure(1);
  changed = [];
  pod('a');
  expect(changed).toEqual(['m']);
  cluster.remove(TYPES.Service, 'm-workers');
  expect(changed).toEqual(['m', 'm']);
});

const FIRST_SCALE = { uid: 'uid', generation: 1, replicas: 2 };
const putModel = () =>
  cluster.put(TYPES.ASRModel, {
    metadata: { name: 'm', uid: 'uid', generation: 1 },
    spec: { scaling: { mode: 'External' } },
  });

test('gives a model a scale to start from, once', async () => {
  putModel();
  for (let look = 0; look < 3; look++) {
    runtime.writeScale('m', FIRST_SCALE);
    await ensure(1);
  }
  expect(cluster.writes.filter((write) => write === 'patch ASRModel/m')).toHaveLength(1);
  expect(cluster.get(TYPES.ASRModel, 'm')).toMatchObject({ spec: { scaling: { mode: 'External', replicas: 2 } } });
});

test('a scale that is refused holds up nothing of the model, and is given up when it is not needed any more', async () => {
  putModel();
  cluster.refuseWith(new KubernetesError(403, 'Forbidden', 'a policy says no'), 'ASRModel');
  runtime.writeScale('m', FIRST_SCALE);
  await ensure(1);
  runtime.writeScale('m', FIRST_SCALE);
  await ensure(2);
  expect([replicas(), runtime.startFailure(OLD)]).toEqual([2, undefined]);
  expect(events).toEqual(['Warning ASRModel/m ScaleRefused']);
  runtime.writeScale('m', undefined);
  cluster.refuseWith(undefined);
  // Longer than it waits to try again.
  await new Promise((resolve) => setTimeout(resolve, 60));
  await ensure(3);
  expect([replicas(), cluster.get(TYPES.ASRModel, 'm')?.spec]).toEqual([3, { scaling: { mode: 'External' } }]);
});

test('a worker that an operator before chose without its label is taken away, too', async () => {
  await ensure(2);
  for (const name of ['a', 'b']) pod(name);
  const chosen = cluster.get(TYPES.Pod, 'b')!;
  cluster.put(TYPES.Pod, {
    ...chosen,
    metadata: { ...chosen.metadata, annotations: { [ANNOTATIONS.stopping]: 'drained' } },
  });
  await ensure(1);
  await eventually(async () => {
    await ensure(1);
    expect(replicas()).toBe(1);
  });
});

test('nothing is left of a deleted model after its last pod', async () => {
  await ensure(1);
  pod('a');
  rollouts.put(OLD, { stable: OLD.revision, candidate: undefined, rejected: undefined });
  runtime.stop('a');
  runtime.forget('m', []);
  await settled();
  expect(cluster.get(TYPES.Deployment, NAME)).toBeDefined();
  cluster.remove(TYPES.Pod, 'a');
  runtime.forget('m', []);
  await settled();
  expect(runtime.models()).toEqual([]);
  for (const type of [TYPES.Deployment, TYPES.ConfigMap, TYPES.NetworkPolicy]) {
    expect(cluster.get(type, NAME)).toBeUndefined();
  }
  for (const type of [TYPES.Service, TYPES.ServiceAccount, TYPES.PodDisruptionBudget, TYPES.ConfigMap]) {
    expect(cluster.get(type, 'm-workers')).toBeUndefined();
  }
});

test('says what the API server does not take, tries again, and forgets it when it does', async () => {
  cluster.refuseWith(new KubernetesError(422, 'Invalid', 'spec.tolerations is invalid'));
  runtime.ensure(OLD, 1);
  await eventually(() =>
    expect(runtime.startFailure(OLD)).toEqual({
      reason: 'Invalid',
      message: 'the API server refuses: spec.tolerations is invalid',
    }),
  );
  cluster.refuseWith(undefined);
  await eventually(() => expect(replicas()).toBe(1));
  await settled();
  expect(runtime.startFailure(OLD)).toBeUndefined();
});

test('an API server that is away is no trouble of the model', async () => {
  cluster.refuseWith(new KubernetesError(0, 'Unreachable', 'the API server is away'));
  runtime.ensure(OLD, 1);
  await eventually(() => expect(lines.map(({ message }) => message).join()).toContain('tried again'));
  expect(runtime.startFailure(OLD)).toBeUndefined();
  cluster.refuseWith(undefined);
  await eventually(() => expect(replicas()).toBe(1));
});

test('workers that run and never register are trouble after a few, and none when one does', async () => {
  await ensure(1);
  for (const name of ['a', 'b', 'c']) {
    pod(name);
    runtime.stop(name, 'did not register within 120 s');
    cluster.remove(TYPES.Pod, name);
  }
  expect(runtime.startFailure(OLD)).toEqual({
    reason: 'WorkersFail',
    message: 'workers fail to start, 3 times in a row; the last did not register within 120 s',
  });
  await new Promise((resolve) => setTimeout(resolve, 5));
  pod('d', OLD.revision, { containerStatuses: [{ name: 'worker', restartCount: 0, state: { running: {} } }] });
  runtime.confirm('d');
  expect(runtime.startFailure(OLD)).toBeUndefined();
});

test('nothing is made of a worker that cannot be one', async () => {
  const wrong = templateOf(model('m', { worker: { env: [{ name: 'MODEL', value: 'x' }] } }));
  await ensure(1, wrong);
  expect(cluster.writes).toEqual([]);
  expect(runtime.startFailure(wrong)).toMatchObject({ reason: 'ReservedVariable' });
});

test('remembers a rollout where the next operator finds it', async () => {
  await ensure(1);
  expect(rollouts.get('m')).toBeUndefined();
  const rejected = { revision: NEW.revision, reason: 'Failures', message: 'too many' } as const;
  rollouts.put(OLD, { stable: OLD.revision, candidate: undefined, rejected });
  await settled();
  expect(rollouts.get('m')).toEqual({ stable: OLD.revision, candidate: undefined, rejected });
  expect(cluster.get(TYPES.ConfigMap, 'm-workers')?.metadata.ownerReferences).toMatchObject([{ uid: 'uid' }]);
});

test('leaves the pods alone when it ends', async () => {
  await ensure(1);
  pod('a');
  const before = cluster.writes.length;
  await runtime.close();
  expect(cluster.writes).toHaveLength(before);
  expect(cluster.get(TYPES.Pod, 'a')).toBeDefined();
});
