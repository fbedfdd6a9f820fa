import { createNotices } from '../../notices.ts';
import { KubernetesError, TYPES } from '@svc-asr/kubernetes';
import { PartialFailure } from '../../failure/partial-failure.ts';
import { createClusterApi } from '../../testing/cluster-api.ts';
import type { ClusterApi } from '../../testing/cluster-api.ts';
import { INSTALLATION, templateOf } from '../../testing/cluster-models.ts';
import { desiredWorkers, TestPods } from '../../testing/cluster-pods.ts';
import { createTestLogger } from '../../testing/logs.ts';
import { model } from '../../testing/resources.ts';
import { LABELS } from './names.ts';
import { ClusterRuntime } from './runtime.ts';

const TEMPLATE = templateOf(model('m', { worker: { image: 'worker:1' } }), INSTALLATION, 'uid');
const { revision } = TEMPLATE;
const CRASHING = {
  conditions: [{ type: 'Ready', status: 'False' }],
  containerStatuses: [
    {
      name: 'worker',
      ready: false,
      restartCount: 4,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode: 1, message: 'Xid 79' } },
    },
  ],
};

let cluster: ClusterApi;
let pods: TestPods;
let runtime: ClusterRuntime;
let events: string[];

beforeEach(async () => {
  cluster = createClusterApi();
  pods = new TestPods(cluster);
  events = [];
  runtime = new ClusterRuntime({
    api: cluster.api,
    reflect: cluster.reflect,
    installation: INSTALLATION,
    secretSources: [],
    events: { record: (_object, _type, reason, message) => void events.push(`${reason}: ${message}`) },
    overdueMs: 0,
    scaleRetryMs: 20,
    enqueue: () => undefined,
    logger: createTestLogger().logger,
    notices: createNotices(),
    nowMs: () => 0,
  });
  await runtime.open({ onEnded: () => undefined, onChanged: () => undefined });
  runtime.apply('m', desiredWorkers([[TEMPLATE, 2]]));
  await runtime.converge('m');
});
afterEach(() => runtime.close());

const sicknessOf = (id: string) => runtime.list('m').find((worker) => worker.id === id)?.sickness;
const fail = (id: string) =>
  runtime.apply('m', desiredWorkers([[TEMPLATE, 2]], { stop: [{ id, failure: 'ended with status 1' }] }));

test('a crash-looping pod counts as sick and not as a start failure if another pod of its revision is ready', () => {
  pods.add('bad', revision, CRASHING, 'n1');
  expect(sicknessOf('bad')).toBeUndefined();
  expect(runtime.startFailure({ model: 'm', revision })?.reason).toBe('CrashLoop');
  pods.add('good', revision, {}, 'n2');
  expect(sicknessOf('bad')).toContain('Xid 79');
  expect(sicknessOf('good')).toBeUndefined();
  expect(runtime.startFailure({ model: 'm', revision })).toBeUndefined();
});

test('crash-looping pods on two nodes are a start failure, even if another pod is ready', () => {
  pods.add('good', revision, {}, 'n0');
  pods.add('bad', revision, CRASHING, 'n1');
  pods.add('worse', revision, CRASHING, 'n1');
  expect(runtime.startFailure({ model: 'm', revision })).toBeUndefined();
  pods.add('worst', revision, CRASHING, 'n2');
  expect(runtime.startFailure({ model: 'm', revision })?.reason).toBe('CrashLoop');
});

test('crash-looping pods on two nodes are sick but no start failure while one pod is ready and a replacement starts', () => {
  pods.add('good', revision, {}, 'n0');
  for (const [id, node] of Object.entries({ a: 'n1', b: 'n1', c: 'n2' })) pods.add(id, revision, CRASHING, node);
  expect(['a', 'b', 'c'].map((id) => sicknessOf(id) !== undefined)).toEqual([true, true, true]);
  expect(runtime.list('m').map(({ id, node }) => `${id} ${node ?? ''}`)).toEqual(['good n0', 'a n1', 'b n1', 'c n2']);
  pods.add('new', revision, { conditions: [{ type: 'Ready', status: 'False' }] }, 'n3');
  expect(runtime.startFailure({ model: 'm', revision })).toBeUndefined();
  expect(sicknessOf('new')).toBeUndefined();
});

test('repeated failures on one node mark the node as failing, and are no start failure while other pods are ready', () => {
  pods.add('good', revision, {}, 'n2');
  for (const id of ['a', 'b', 'c', 'd']) {
    pods.add(id, revision, {}, 'n1');
    fail(id);
  }
  expect(runtime.failingNodes('m')).toEqual(['n1']);
  expect(events).toEqual([expect.stringContaining('NodeFailing: workers of m fail repeatedly on node n1')]);
  expect(runtime.startFailure({ model: 'm', revision })).toBeUndefined();
});

describe('the label sick', () => {
  const sickLabelOf = (id: string) => cluster.get(TYPES.Pod, id)?.metadata.labels?.[LABELS.sick];
  const converge = async (sick: string[], more: object = {}) => {
    const before = cluster.writes.length;
    runtime.apply('m', desiredWorkers([[TEMPLATE, 3]], { sick, ...more }));
    await runtime.converge('m');
    return cluster.writes.slice(before).filter((write) => /Pod\/|Deployment\//.test(write));
  };

  beforeEach(() => {
    pods.add('good', revision, {}, 'n2');
    pods.add('bad', revision, CRASHING, 'n1');
  });

  test('is set only once, before the Deployment grows', async () => {
    expect(await converge(['bad'])).toEqual(['patch Pod/bad', expect.stringContaining('patch Deployment/')]);
    expect([sickLabelOf('bad'), sickLabelOf('good')]).toEqual(['true', undefined]);
    expect(await converge(['bad'])).toEqual([]);
  });

  test('is set on all sick pods of all nodes, and removed only from pods that have recovered', async () => {
    pods.add('worse', revision, CRASHING, 'n1');
    pods.add('other', revision, CRASHING, 'n3');
    await converge(['bad', 'worse', 'other']);
    expect(['good', 'bad', 'worse', 'other'].map(sickLabelOf)).toEqual([undefined, 'true', 'true', 'true']);
    expect(await converge(['bad', 'other'])).toEqual(['patch Pod/worse']);
    expect(['bad', 'worse', 'other'].map(sickLabelOf)).toEqual(['true', undefined, 'true']);
  });

  test('does not prevent the Deployment from growing if the API server rejects the label, and is set later', async () => {
    cluster.refuseWith(new KubernetesError(403, 'Forbidden', 'denied by a webhook'), 'Pod');
    const failure = await converge(['bad']).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PartialFailure);
    expect(failure).toMatchObject({ message: 'cannot label the sick pods of m: denied by a webhook' });
    expect(cluster.writes.at(-1)).toContain('patch Deployment/');
    cluster.refuseWith(undefined);
    expect(await converge(['bad'])).toEqual(['patch Pod/bad']);
  });

  test('is removed when the pod has recovered', async () => {
    await converge(['bad']);
    expect(await converge([])).toEqual(['patch Pod/bad']);
    expect(sickLabelOf('bad')).toBeUndefined();
  });

  test('stays on a pod that was selected for removal', async () => {
    await converge(['bad']);
    const writes = await converge([], { stop: [{ id: 'bad', failure: 'ended with status 1' }] });
    // The only patch writes the selection. No patch removes the label.
    expect(writes).toEqual(['patch Pod/bad', 'delete Pod/bad']);
  });
});

test('the PodDisruptionBudget protects ready pods whose streams do not fit into other pods, but not pods that are starting', async () => {
  const minAvailable = async (evictable: number) => {
    runtime.apply('m', desiredWorkers([[TEMPLATE, 3]], { evictable }));
    await runtime.converge('m');
    return (cluster.get(TYPES.PodDisruptionBudget, 'm-workers')!.spec as { minAvailable?: number }).minAvailable;
  };
  expect(await minAvailable(0)).toBe(0);
  for (const id of ['a', 'b']) pods.add(id, revision, {});
  pods.add('starting', revision, { conditions: [{ type: 'Ready', status: 'False' }] });
  expect(await minAvailable(1)).toBe(1);
  expect(await minAvailable(0)).toBe(2);
});
