import { KubernetesError, TYPES } from '@svc-asr/kubernetes';
import { createNotices } from '../../notices.ts';
import { systemClock } from '../../queue/clock.ts';
import { createWorkQueue } from '../../queue/queue.ts';
import type { WorkQueue } from '../../queue/queue.ts';
import { runWorkers } from '../../queue/workers.ts';
import { createClusterApi } from '../../testing/cluster-api.ts';
import type { ClusterApi } from '../../testing/cluster-api.ts';
import { INSTALLATION, templateOf } from '../../testing/cluster-models.ts';
import { desiredWorkers, replicasOf, TestPods } from '../../testing/cluster-pods.ts';
import type { Counts } from '../../testing/cluster-pods.ts';
import { eventually } from '../../testing/eventually.ts';
import { createTestLogger } from '../../testing/logs.ts';
import { model } from '../../testing/resources.ts';
import type { DesiredWorkers, EndedWorker } from '../runtime.ts';
import { ANNOTATIONS, LABELS, PHASES, revisionName } from './names.ts';
import { ClusterRuntime } from './runtime.ts';
import type { SecretValues } from './secret/model-secret.ts';

const OLD = templateOf(model('m', { worker: { image: 'worker:1' } }), INSTALLATION, 'uid');
const NEW = templateOf(model('m', { worker: { image: 'worker:2' } }), INSTALLATION, 'uid');
const NAME = revisionName('m', OLD.revision);
/**
 * Number of objects of a model with one revision: Secret, ServiceAccount, ConfigMap, NetworkPolicy, Service,
 * PodDisruptionBudget and Deployment.
 */
const OBJECTS = 7;

let secretSource: () => SecretValues;
const failToCreate = () => {
  throw new Error('the CA has expired');
};
/** Models for which the second source of Secret values was called. In the operator, this source creates Redis users. */
let users: string[];
/** Called when a model was deleted and its last pod has ended. */
let onRemoved: () => Promise<void>;
let cluster: ClusterApi;
let runtime: ClusterRuntime;
let queue: WorkQueue;
let working: Promise<void>;
let ended: EndedWorker[];
let changed: string[];
let events: string[];
let errors: unknown[];
let pods: TestPods;
let lines: { level: string; message: string }[];

beforeEach(async () => {
  cluster = createClusterApi();
  [ended, changed, events, errors] = [[], [], [], []];
  pods = new TestPods(cluster);
  secretSource = () => ({ password: 'x' });
  users = [];
  onRemoved = () => Promise.resolve();
  const test = createTestLogger();
  ({ lines } = test);
  queue = createWorkQueue(systemClock, { baseMs: 5, maxMs: 20 });
  runtime = new ClusterRuntime({
    api: cluster.api,
    reflect: cluster.reflect,
    installation: INSTALLATION,
    secretSources: [
      () => secretSource(),
      (name) => {
        users.push(name);
        return { url: 'redis://redis' };
      },
    ],
    onRemoved: () => onRemoved(),
    events: {
      record: (object, type, reason) => void events.push(`${type} ${object.kind}/${object.metadata.name} ${reason}`),
    },
    overdueMs: 0,
    scaleRetryMs: 20,
    enqueue: (name) => {
      if (queue.failures(name) === 0) queue.add(name);
    },
    logger: test.logger,
    notices: createNotices(),
    nowMs: systemClock.nowMs,
  });
  await runtime.open({ onEnded: (worker) => ended.push(worker), onChanged: (name) => changed.push(name) });
  working = runWorkers({
    queue,
    concurrency: 2,
    work: (name) => runtime.converge(name),
    onOutcome: ({ error }) => {
      if (error !== undefined) errors.push(error);
    },
    nowMs: systemClock.nowMs,
  });
});
afterEach(async () => {
  queue.close();
  await working;
  await runtime.close();
});

const pod = (name: string, revision = OLD.revision, status: object = {}) => pods.add(name, revision, status);
const replicas = (name = NAME) => replicasOf(cluster, name);
/** Waits until nothing is written any more. */
const settled = async () => {
  let before = -1;
  await eventually(() => {
    for (const { revision } of [OLD, NEW]) pods.updateReplicaSet(revision);
    const now = cluster.writes.length;
    const quiet = now === before;
    before = now;
    expect(quiet).toBe(true);
  });
  await new Promise((resolve) => setTimeout(resolve, 30));
};
/** Applies the desired state of the model and waits until nothing is written any more. */
const apply = async (counts: Counts, more: Partial<DesiredWorkers> = {}) => {
  runtime.apply('m', desiredWorkers(counts, more));
  await settled();
};
const stop = (id: string, failure?: string) => ({ stop: [{ id, ...(failure !== undefined && { failure }) }] });

describe('ClusterRuntime.apply', () => {
  test('creates all objects that the workers of a model need', async () => {
    await apply([[OLD, 2]]);
    expect(cluster.writes).toHaveLength(OBJECTS);
    expect(cluster.writes.at(-1)).toBe(`apply Deployment/${NAME}`);
    expect(replicas()).toBe(2);
  });

  test('writes nothing when the same desired state is applied again', async () => {
    pod('a');
    pod('b');
    const rollout = { stable: OLD.revision, candidate: undefined, rejected: undefined };
    const state = desiredWorkers([[OLD, 1]], { ...stop('b'), rollout });
    runtime.apply('m', state);
    await settled();
    const before = cluster.writes.length;
    for (let time = 0; time < 5; time++) {
      runtime.apply('m', state);
      await settled();
    }
    expect(cluster.writes).toHaveLength(before);
  });

  test('does not repeat its writes while the watch has not reported them', async () => {
    cluster.holdWatches(true);
    for (let time = 0; time < 5; time++) await apply([[OLD, 2]]);
    expect(cluster.writes).toHaveLength(OBJECTS);
  });

  test.each([
    ['no objects', () => undefined],
    ['a Deployment with too few replicas', () => apply([[OLD, 1]])],
    [
      'a missing Service and a changed Deployment',
      async () => {
        await apply([[OLD, 3]]);
        cluster.remove(TYPES.Service, 'm-workers');
        const live = cluster.get(TYPES.Deployment, NAME)!;
        cluster.put(TYPES.Deployment, { ...live, spec: { ...(live.spec as object), progressDeadlineSeconds: 1 } });
      },
    ],
    ['an older revision without pods', () => apply([[NEW, 1]])],
    [
      'a rollout in progress',
      () =>
        apply([
          [NEW, 1],
          [OLD, 2],
        ]),
    ],
    ['a deleted model', () => apply([])],
  ])('converges to the desired state from %s', async (_, prepare) => {
    await prepare();
    await apply([[OLD, 3]]);
    expect(replicas()).toBe(3);
    expect(cluster.get(TYPES.Deployment, NAME)).toMatchObject({ spec: { progressDeadlineSeconds: 3600 } });
    for (const type of [TYPES.Service, TYPES.ServiceAccount, TYPES.PodDisruptionBudget]) {
      expect(cluster.get(type, 'm-workers')).toBeDefined();
    }
    expect(cluster.get(TYPES.Deployment, revisionName('m', NEW.revision))).toBeUndefined();
    const before = cluster.writes.length;
    await apply([[OLD, 3]]);
    expect(cluster.writes).toHaveLength(before);
  });

  test('repairs objects that other clients changed, but only once if the cluster modifies the repaired object', async () => {
    await apply([[OLD, 1]]);
    const live = cluster.get(TYPES.Deployment, NAME)!;
    cluster.put(TYPES.Deployment, { ...live, spec: { ...(live.spec as object), progressDeadlineSeconds: 1 } });
    await apply([[OLD, 1]]);
    expect(cluster.get(TYPES.Deployment, NAME)).toMatchObject({ spec: { progressDeadlineSeconds: 3600 } });
    cluster.mutate((object) =>
      object.kind === 'Deployment'
        ? { ...object, spec: { ...(object.spec as object), progressDeadlineSeconds: 2 } }
        : object,
    );
    cluster.put(TYPES.Deployment, { ...live, spec: { ...(live.spec as object), progressDeadlineSeconds: 1 } });
    const before = cluster.writes.length;
    for (let time = 0; time < 5; time++) await apply([[OLD, 1]]);
    expect(cluster.writes.length - before).toBe(1);
    expect(lines.map(({ message }) => message).join()).toContain('differs from what was applied');
  });

  test('recreates a deleted Secret of a model, and writes no other object', async () => {
    await apply([[OLD, 1]]);
    cluster.remove(TYPES.Secret, 'm-workers');
    const before = cluster.writes.length;
    await apply([[OLD, 1]]);
    expect(cluster.writes.slice(before)).toEqual(['apply Secret/m-workers']);
  });

  test('creates no workers while a value of their new Secret cannot be created', async () => {
    secretSource = failToCreate;
    await apply([[OLD, 1]]);
    const message = 'a value for the Secret of the workers cannot be created: the CA has expired';
    expect(errors).toContainEqual(expect.objectContaining({ message }));
    expect(runtime.startFailure(OLD)).toEqual({ reason: 'SecretFailed', message });
    expect(cluster.writes).toEqual([]);
    secretSource = () => ({});
    await eventually(() => expect(cluster.writes.at(-1)).toBe(`apply Deployment/${NAME}`));
    await eventually(() => expect(runtime.startFailure(OLD)).toBeUndefined());
  });

  test('scales existing workers and creates their Redis user, even while their certificate cannot be renewed', async () => {
    await apply([[OLD, 1]]);
    secretSource = failToCreate;
    users = [];
    await apply([[OLD, 2]]);
    await eventually(() => expect(replicas()).toBe(2));
    expect(users).toContain('m');
    expect(errors).not.toHaveLength(0);
    expect(queue.failures('m')).toBe(0);
    expect(runtime.startFailure(OLD)).toBeUndefined();
  });

  test('creates workers for a model that is recreated before the removal of the old model is complete', async () => {
    await apply([[OLD, 1]]);
    onRemoved = () => {
      onRemoved = () => Promise.resolve();
      runtime.apply('m', desiredWorkers([[OLD, 1]]));
      return Promise.resolve();
    };
    await apply([]);
    await eventually(() => expect(replicas()).toBe(1));
  });

  test('creates no workers from an invalid template, and reports the problem', async () => {
    const invalid = templateOf(model('m', { worker: { env: [{ name: 'MODEL', value: 'x' }] } }));
    await apply([[invalid, 1]]);
    // The Secret is written, because workers of older revisions use it.
    expect(cluster.writes).toEqual(['apply Secret/m-workers']);
    expect(runtime.startFailure(invalid)).toMatchObject({ reason: 'ReservedVariable' });
  });
});

describe('scaling by the cluster runtime:', () => {
  test('replicas grow at once, and shrink only after pods were marked for removal', async () => {
    await apply([[OLD, 1]]);
    for (const name of ['a', 'b', 'c']) pod(name);
    await apply([[OLD, 3]]);
    expect(replicas()).toBe(3);
    await apply([[OLD, 1]]);
    expect(replicas()).toBe(3);
    const from = cluster.writes.length;
    runtime.apply('m', desiredWorkers([[OLD, 1]], stop('b')));
    expect(runtime.list('m').filter(({ stopping }) => stopping)).toMatchObject([{ id: 'b' }]);
    await settled();
    expect(cluster.writes.slice(from)).toEqual(['patch Pod/b', `patch Deployment/${NAME}`]);
    expect(cluster.get(TYPES.Pod, 'b')?.metadata.annotations).toMatchObject({
      [ANNOTATIONS.stopping]: 'drained',
      [ANNOTATIONS.deletionCost]: expect.stringMatching(/^-/),
    });
    expect(replicas()).toBe(2);
    for (let time = 0; time < 3; time++) await apply([[OLD, 1]]);
    expect(replicas()).toBe(2);
    cluster.remove(TYPES.Pod, 'b');
    expect(ended).toMatchObject([{ id: 'b', model: 'm', requested: true }]);
  });

  test('a pod that an earlier operator marked for removal is removed', async () => {
    await apply([[OLD, 2]]);
    for (const name of ['a', 'b']) pod(name);
    const marked = cluster.get(TYPES.Pod, 'b')!;
    cluster.put(TYPES.Pod, {
      ...marked,
      metadata: {
        ...marked.metadata,
        annotations: { [ANNOTATIONS.stopping]: 'drained' },
        labels: { ...marked.metadata.labels, [LABELS.phase]: PHASES.leaving },
      },
    });
    expect(runtime.list('m')).toMatchObject([
      { id: 'a', stopping: false },
      { id: 'b', stopping: true },
    ]);
    await apply([[OLD, 1]]);
    expect(replicas()).toBe(1);
  });

  test('a pod is removed even if an earlier operator marked it for removal without the phase label', async () => {
    await apply([[OLD, 2]]);
    for (const name of ['a', 'b']) pod(name);
    const marked = cluster.get(TYPES.Pod, 'b')!;
    cluster.put(TYPES.Pod, {
      ...marked,
      metadata: { ...marked.metadata, annotations: { [ANNOTATIONS.stopping]: 'drained' } },
    });
    await apply([[OLD, 1]]);
    await eventually(async () => {
      await apply([[OLD, 1]]);
      expect(replicas()).toBe(1);
    });
  });

  test('a failed pod is deleted directly if Kubernetes would otherwise remove the replacement of this pod', async () => {
    await apply([[OLD, 2]]);
    pod('hung');
    pod('next', OLD.revision, { conditions: [] });
    await apply([[OLD, 1]], stop('hung', 'it hangs'));
    expect(cluster.get(TYPES.Pod, 'hung')).toBeUndefined();
    expect(cluster.get(TYPES.Pod, 'next')).toBeDefined();
  });
});

describe('revisions in the cluster runtime:', () => {
  test('each revision has its own Deployment, which is deleted after the last pod of the revision', async () => {
    await apply([[OLD, 1]]);
    pod('old');
    await apply([
      [NEW, 1],
      [OLD, 1],
    ]);
    expect([replicas(), replicas(revisionName('m', NEW.revision))]).toEqual([1, 1]);
    await apply([[NEW, 1]], stop('old'));
    expect(replicas()).toBe(0);
    cluster.remove(TYPES.Pod, 'old');
    await apply([[NEW, 1]]);
    expect(cluster.get(TYPES.Deployment, NAME)).toBeUndefined();
    expect(cluster.get(TYPES.ConfigMap, NAME)).toBeUndefined();
    expect(cluster.get(TYPES.Deployment, revisionName('m', NEW.revision))).toBeDefined();
    expect(cluster.get(TYPES.ServiceAccount, 'm-workers')).toBeDefined();
  });

  test('the Deployment of a revision is kept while the desired state lists the revision with 0 workers', async () => {
    await apply([[OLD, 0]]);
    await apply([
      [NEW, 1],
      [OLD, 0],
    ]);
    expect(replicas()).toBe(0);
  });

  test('no Deployment of a rejected revision is created, and the stable revision is scaled', async () => {
    await apply([[OLD, 1]]);
    await apply([[OLD, 2]], { template: NEW });
    expect(replicas()).toBe(2);
    expect(cluster.get(TYPES.Deployment, revisionName('m', NEW.revision))).toBeUndefined();
  });

  test('the rollout state is stored in a ConfigMap of the model, where the next operator finds it', async () => {
    await apply([[OLD, 1]]);
    expect(runtime.storedRollout(OLD)).toBeUndefined();
    const rejected = { revision: NEW.revision, reason: 'Failures', message: 'too many' } as const;
    const rollout = { stable: OLD.revision, candidate: undefined, rejected };
    await apply([[OLD, 1]], { rollout });
    expect(runtime.storedRollout(OLD)).toEqual(rollout);
    expect(cluster.get(TYPES.ConfigMap, 'm-workers')?.metadata.ownerReferences).toMatchObject([{ uid: 'uid' }]);
  });
});

describe('deletion of a model in the cluster runtime:', () => {
  test('all objects are deleted after the last pod', async () => {
    const rollout = { stable: OLD.revision, candidate: undefined, rejected: undefined };
    await apply([[OLD, 1]], { rollout });
    pod('a');
    await apply([], stop('a'));
    expect(cluster.get(TYPES.Deployment, NAME)).toBeDefined();
    cluster.remove(TYPES.Pod, 'a');
    await apply([]);
    expect(runtime.models()).toEqual([]);
    for (const type of [TYPES.Deployment, TYPES.ConfigMap, TYPES.NetworkPolicy]) {
      expect(cluster.get(type, NAME)).toBeUndefined();
    }
    for (const type of [TYPES.Service, TYPES.ServiceAccount, TYPES.PodDisruptionBudget, TYPES.ConfigMap]) {
      expect(cluster.get(type, 'm-workers')).toBeUndefined();
    }
  });

  test('a deleted pod that does not end in time does not delay the deletion, and is reported with an event', async () => {
    await apply([[OLD, 1]]);
    pod('a');
    await apply([], stop('a'));
    const live = cluster.get(TYPES.Pod, 'a')!;
    cluster.put(TYPES.Pod, { ...live, metadata: { ...live.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
    expect(runtime.list('m')).toEqual([]);
    await apply([]);
    expect(cluster.get(TYPES.Deployment, NAME)).toBeUndefined();
    expect(runtime.models()).toEqual([]);
    expect(events).toEqual(['Warning ASRModel/m WorkerStuck']);
  });
});

describe('updates of spec.scaling.replicas:', () => {
  const FIRST_SCALE = { uid: 'uid', generation: 1, replicas: 2 };
  const putModel = () =>
    cluster.put(TYPES.ASRModel, {
      metadata: { name: 'm', uid: 'uid', generation: 1 },
      spec: { scaling: { mode: 'External' } },
    });

  test('a repeated update is written only once', async () => {
    putModel();
    for (let time = 0; time < 3; time++) await apply([[OLD, 1]], { scale: FIRST_SCALE });
    expect(cluster.writes.filter((write) => write === 'patch ASRModel/m')).toHaveLength(1);
    expect(cluster.get(TYPES.ASRModel, 'm')).toMatchObject({ spec: { scaling: { mode: 'External', replicas: 2 } } });
  });

  test('a rejected update does not delay the workers, and is dropped when it is not needed any more', async () => {
    putModel();
    cluster.refuseWith(new KubernetesError(403, 'Forbidden', 'denied by policy'), 'ASRModel');
    await apply([[OLD, 1]], { scale: FIRST_SCALE });
    await apply([[OLD, 2]], { scale: FIRST_SCALE });
    expect([replicas(), runtime.startFailure(OLD)]).toEqual([2, undefined]);
    expect(events).toEqual(['Warning ASRModel/m ScaleRefused']);
    cluster.refuseWith(undefined);
    runtime.apply('m', desiredWorkers([[OLD, 2]]));
    // Waits longer than the retry delay.
    await new Promise((resolve) => setTimeout(resolve, 60));
    await apply([[OLD, 3]]);
    expect([replicas(), cluster.get(TYPES.ASRModel, 'm')?.spec]).toEqual([3, { scaling: { mode: 'External' } }]);
  });
});

describe('start failures in the cluster runtime:', () => {
  test('an object that the API server rejects is a start failure until it accepts the object', async () => {
    cluster.refuseWith(new KubernetesError(422, 'Invalid', 'spec.tolerations is invalid'));
    runtime.apply('m', desiredWorkers([[OLD, 1]]));
    await eventually(() =>
      expect(runtime.startFailure(OLD)).toEqual({
        reason: 'Invalid',
        message: 'the API server rejected an object of the workers: spec.tolerations is invalid',
      }),
    );
    cluster.refuseWith(undefined);
    await eventually(() => expect(replicas()).toBe(1));
    await settled();
    expect(runtime.startFailure(OLD)).toBeUndefined();
  });

  test('an unavailable API server is not a start failure, and the write is retried', async () => {
    cluster.refuseWith(new KubernetesError(0, 'Unreachable', 'connection refused'));
    runtime.apply('m', desiredWorkers([[OLD, 1]]));
    await eventually(() => expect(errors.length).toBeGreaterThan(1));
    expect(runtime.startFailure(OLD)).toBeUndefined();
    cluster.refuseWith(undefined);
    await eventually(() => expect(replicas()).toBe(1));
  });

  test('three workers in a row that never register are a start failure until a worker registers', async () => {
    await apply([[OLD, 1]]);
    for (const name of ['a', 'b', 'c']) {
      pod(name);
      runtime.apply('m', desiredWorkers([[OLD, 1]], stop(name, 'did not register within 120 s')));
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
});

test('the cluster runtime reports every change of a pod or another object of a model to its listener', async () => {
  await apply([[OLD, 1]]);
  changed = [];
  pod('a');
  expect(changed).toEqual(['m']);
  cluster.remove(TYPES.Service, 'm-workers');
  expect(changed).toEqual(['m', 'm']);
});

test('close() of the cluster runtime does not stop the pods', async () => {
  await apply([[OLD, 1]]);
  pod('a');
  const before = cluster.writes.length;
  await runtime.close();
  expect(cluster.writes).toHaveLength(before);
  expect(cluster.get(TYPES.Pod, 'a')).toBeDefined();
});
