import { KUBERNETES_TIMEOUT_MS } from '../../../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../../../test/support/kubernetes.ts';
import { eventually } from '../../testing/eventually.ts';
import { placed as placedOn } from '../../testing/placed.ts';
import { model } from '../../testing/resources.ts';
import { LABELS } from './names.ts';
import { createStage, startCluster } from '../../testing/cluster-stage.ts';
import type { Stage } from '../../testing/cluster-stage.ts';

const LONG_MS = 60_000;
const TEST_MS = 180_000;
let kubernetes: Kubernetes;
let stage: Stage;

beforeAll(async () => {
  kubernetes = await startCluster();
}, KUBERNETES_TIMEOUT_MS);
afterAll(() => kubernetes.stop());
afterEach(async () => {
  clearInterval(watching);
  // Other test files use the same control plane and the same node.
  await stage.kubectl(['uncordon', 'test-node']);
  await stage.close();
}, LONG_MS);

const quick = { bufferSessions: 0, bufferPercent: 0, scaleDownDelaySeconds: 0, idleToZeroSeconds: 0 };
const pool = (scaling: object, spec: object = {}) =>
  model('m', { scaling: { ...quick, ...scaling }, rollout: { windowSeconds: 0 }, ...spec });
const workers = () => stage.ledger.workers.list('m');
const budget = async () => (await stage.list('policy/poddisruptionbudgets'))[0]?.spec;
const pods = () => stage.list('pods', `${LABELS.model}=m`);
const deployments = () => stage.list('apps/deployments', `${LABELS.model}=m`);
const revisionsOf = (objects: Awaited<ReturnType<typeof pods>>) =>
  new Set(objects.map(({ metadata }) => metadata.labels?.[LABELS.revision]));
const held = (sessionId: string) => stage.ledger.pools.claim('m', sessionId, Date.now() + 600_000);
const leave = (sessionId: string) => stage.ledger.pools.leave('m', sessionId, 't');
const placed = (sessionId: string) => placedOn(stage.ledger, 'm', sessionId);
const upToNumber = (count: number) =>
  eventually(async () => {
    const found = (await workers()).filter(({ draining }) => !draining);
    expect(found).toHaveLength(count);
    expect(await pods()).toHaveLength(count);
    return found;
  }, LONG_MS);
let watching: NodeJS.Timeout | undefined;
/** Polls the workers that accept sessions. Records their ids, and the lowest number of workers that a poll found. */
function watchWorkers(): { fewest: number; ids: Set<string> } {
  const seen = { fewest: Infinity, ids: new Set<string>() };
  const note = (found: Awaited<ReturnType<typeof workers>>) => {
    const taking = found.filter(({ draining }) => !draining);
    seen.fewest = Math.min(seen.fewest, taking.length);
    for (const { id } of taking) seen.ids.add(id);
  };
  watching = setInterval(() => void workers().then(note, () => undefined), 50);
  return seen;
}
const condition = async (type: string) => {
  const [object] = await stage.list('asr.svc.dev/asrmodels');
  const { conditions = [] } = (object?.status ?? {}) as { conditions?: { type: string }[] };
  return conditions.find((one) => one.type === type);
};

test(
  'the pool of an applied ASRModel grows with the demand, and loses idle workers first when the demand ends',
  async () => {
    stage = await createStage(kubernetes);
    await stage.apply(pool({ min: 1, max: 3 }));
    await upToNumber(1);
    await eventually(async () => expect(await condition('Available')).toMatchObject({ status: 'True' }), LONG_MS);
    for (const session of ['a', 'b', 'c', 'd', 'e']) await held(session);
    await upToNumber(3);
    await eventually(async () => expect(await budget()).toMatchObject({ minAvailable: 3 }), LONG_MS);
    const busy = await placed('a');
    for (const session of ['b', 'c', 'd', 'e']) await leave(session);
    const [left] = await upToNumber(1);
    expect(left?.id).toBe(busy.id);
    const [deployment] = await deployments();
    expect(deployment).toMatchObject({ spec: { replicas: 1 }, metadata: { name: `m-${left?.revision ?? ''}` } });
    for (const kind of ['services', 'configmaps']) expect(await stage.list(kind, `${LABELS.model}=m`)).not.toEqual([]);
    expect(await stage.list('networking.k8s.io/networkpolicies', `${LABELS.model}=m`)).toHaveLength(1);
  },
  TEST_MS,
);

test(
  'a pool without workers starts a worker for the first session, returns to zero workers, and can be scaled by an autoscaler',
  async () => {
    stage = await createStage(kubernetes);
    await stage.apply(pool({ min: 0, max: 2 }));
    await eventually(async () => expect(await deployments()).toMatchObject([{ spec: { replicas: 0 } }]), LONG_MS);
    await placed('first');
    await leave('first');
    await upToNumber(0);
    await stage.apply(pool({ mode: 'External', min: 0, max: 3 }));
    // No one has set replicas so far, so the operator sets them. An autoscaler needs a number in the scale subresource
    // before it sets replicas for the first time.
    const path = `/apis/asr.svc.dev/v1/namespaces/${stage.namespace}/asrmodels/m/scale`;
    await eventually(async () => {
      const scale = JSON.parse(await stage.kubectl(['get', '--raw', path])) as object;
      const selector = `${LABELS.model}=m`;
      expect(scale).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 1, selector } });
    }, LONG_MS);
    await stage.kubectl(['scale', 'asrmodel', 'm', '--replicas=2']);
    await upToNumber(2);
    await stage.kubectl(['scale', 'asrmodel', 'm', '--replicas=1']);
    await upToNumber(1);
    // Replicas written through the scale subresource are removed when the mode changes back.
    await stage.apply(pool({ min: 0, max: 2 }));
    await eventually(async () => {
      const [object] = await stage.list('asr.svc.dev/asrmodels');
      expect(object?.spec).toMatchObject({ scaling: { mode: 'Sessions' } });
      expect(object?.spec).not.toHaveProperty('scaling.replicas');
    }, LONG_MS);
    await upToNumber(0);
  },
  TEST_MS,
);

test(
  'the operator keeps a pod that waits for a node, even if there are no sessions, and a restarted operator still knows the measured slots',
  async () => {
    stage = await createStage(kubernetes);
    await stage.kubectl(['cordon', 'test-node']);
    await stage.apply(pool({ min: 0, max: 3 }));
    for (const session of ['a', 'b', 'c', 'd', 'e']) expect(await held(session)).toBe(true);
    const [pod] = await eventually(async () => {
      const found = await pods();
      expect(found).toHaveLength(1);
      return found;
    }, LONG_MS);
    const unschedulable = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes' };
    const status = JSON.stringify({ status: { conditions: [unschedulable] } });
    await stage.kubectl(['patch', 'pod', pod!.metadata.name, '--subresource=status', `--patch=${status}`]);
    await eventually(async () => {
      expect(await condition('Progressing')).toMatchObject({ status: 'True', reason: 'Provisioning' });
      const waits = await stage.ledger.pools.place('m', { sessionId: 'a', tenant: 't' });
      expect(waits).toMatchObject({ outcome: 'wait', growth: 'provisioning' });
    }, LONG_MS);
    expect(await condition('Degraded')).toMatchObject({ status: 'False' });
    // Without sessions, the pool would scale down to zero at once. It keeps its first pod, because a node for this pod
    // is being provisioned.
    for (const session of ['a', 'b', 'c', 'd', 'e']) await leave(session);
    await eventually(async () => expect((await stage.ledger.pools.load('m')).waiting).toBe(0), LONG_MS);
    await stage.restartOperator();
    await eventually(async () => expect(await condition('Progressing')).toMatchObject({ reason: 'Provisioning' }));
    expect((await pods()).map(({ metadata }) => metadata.name)).toEqual([pod?.metadata.name]);
    await held('f');
    await stage.kubectl(['uncordon', 'test-node']);
    await placed('f');
    await leave('f');
    await upToNumber(0);

    await stage.restartOperator();
    await stage.kubectl(['cordon', 'test-node']);
    for (const session of ['g', 'h', 'i']) await held(session);
    // Two slots were measured on each earlier worker. The pool therefore starts two workers at the same time. It does
    // not have to start a single worker first to measure the slots.
    await eventually(async () => expect(await pods()).toHaveLength(2), LONG_MS);
  },
  TEST_MS,
);

test(
  'a new image gets its own Deployment, and the Deployment of the old image is removed after its streams have ended',
  async () => {
    stage = await createStage(kubernetes);
    await stage.apply(pool({ min: 2, max: 2 }));
    const before = await upToNumber(2);
    const [old] = await deployments();
    const busy = await placed('stream');
    const seen = watchWorkers();
    await stage.apply(pool({ min: 2, max: 2 }, { worker: { image: 'worker:2' } }));
    const after = await eventually(async () => {
      const found = (await workers()).filter(({ draining }) => !draining);
      expect(found.map(({ revision }) => revision)).not.toContain(before[0]?.revision);
      expect(found).toHaveLength(2);
      return found;
    }, LONG_MS);
    expect(seen.fewest).toBeGreaterThanOrEqual(2);
    // The stream of the busy worker has not ended. The worker keeps running without new streams, and its Deployment
    // stays.
    expect(await workers()).toContainEqual(expect.objectContaining({ id: busy.id, draining: true, active: 1 }));
    expect((await deployments()).map(({ metadata }) => metadata.name)).toContain(old?.metadata.name);
    await leave('stream');
    await eventually(async () => {
      expect(await deployments()).toMatchObject([{ metadata: { name: `m-${after[0]?.revision ?? ''}` } }]);
      expect(revisionsOf(await pods())).toEqual(new Set([after[0]?.revision]));
    }, LONG_MS);
  },
  TEST_MS,
);

test(
  'a rollout without surge never runs more pods than before, and is rolled back if the new revision gets no node',
  async () => {
    stage = await createStage(kubernetes);
    const rollout = { windowSeconds: 0, maxSurge: 0 };
    const of = (image: string, startSeconds = 600) =>
      pool({ min: 2, max: 2 }, { worker: { image }, rollout: { ...rollout, startSeconds } });
    await stage.apply(of('worker:1'));
    const [before] = await upToNumber(2);
    let most = 0;
    watching = setInterval(
      () =>
        void pods().then(
          ({ length }) => (most = Math.max(most, length)),
          () => undefined,
        ),
      50,
    );
    await stage.kubectl(['cordon', 'test-node']);
    await stage.apply(of('worker:2', 3));
    await eventually(async () => {
      expect(await condition('Degraded')).toMatchObject({ status: 'True', reason: 'RolledBack' });
    }, LONG_MS);
    await stage.kubectl(['uncordon', 'test-node']);
    expect((await upToNumber(2)).map(({ revision }) => revision)).toEqual([before?.revision, before?.revision]);
    expect(await stage.kubectl(['get', 'events', '--field-selector=reason=RolledBack'])).toContain('asrmodel/m');
    await stage.apply(of('worker:3'));
    await eventually(async () => {
      expect((await upToNumber(2)).map(({ revision }) => revision)).not.toContain(before?.revision);
      expect(await condition('Progressing')).toMatchObject({ status: 'False' });
    }, LONG_MS);
    expect(most).toBe(2);
  },
  TEST_MS,
);

test(
  'a changed WORKER_OTLP_ENDPOINT leads to a new revision, and spec.worker.env of a model overrides the endpoint',
  async () => {
    stage = await createStage(kubernetes);
    const [name, own] = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://own:4318'];
    await stage.apply(pool({ min: 1, max: 1 }, { worker: { env: [{ name, value: own }] } }));
    const [before] = await upToNumber(1);
    await stage.restartOperator({ WORKER_OTLP_ENDPOINT: 'http://collector:4318' });
    const after = await eventually(async () => {
      const [found, ...others] = (await workers()).filter(({ draining }) => !draining);
      expect(others).toEqual([]);
      expect(found?.revision).not.toBe(before?.revision);
      return found!;
    }, LONG_MS);
    const settings = await stage.list('configmaps', `${LABELS.revision}=${after.revision}`);
    expect(settings).toMatchObject([{ data: { [name]: 'http://collector:4318' } }]);
    // Kubernetes prefers a variable in `env` of the container to one from a ConfigMap.
    const [pod] = await stage.list('pods', `${LABELS.revision}=${after.revision}`);
    const { containers } = pod!.spec as { containers: { env: object[] }[] };
    expect(containers[0]?.env).toContainEqual({ name, value: own });
  },
  TEST_MS,
);

test(
  'idle workers of a deleted ASRModel end, its streams finish, and then all its objects are deleted',
  async () => {
    stage = await createStage(kubernetes);
    await stage.apply(pool({ min: 2, max: 2 }));
    await upToNumber(2);
    const busy = await placed('stream');
    await stage.kubectl(['delete', 'asrmodel', 'm', '--wait=false']);
    await eventually(async () => expect(await workers()).toMatchObject([{ id: busy.id, draining: false }]), LONG_MS);
    expect(await stage.list('asr.svc.dev/asrmodels')).toHaveLength(1);
    await leave('stream');
    await eventually(async () => {
      expect(await stage.list('asr.svc.dev/asrmodels')).toEqual([]);
      expect(await pods()).toEqual([]);
      expect(await deployments()).toEqual([]);
      for (const plural of ['services', 'serviceaccounts', 'configmaps', 'policy/poddisruptionbudgets']) {
        expect(await stage.list(plural, `${LABELS.model}=m`)).toEqual([]);
      }
    }, LONG_MS);
  },
  TEST_MS,
);

test(
  'the operator repairs changed and deleted objects of an ASRModel, and keeps fields that other clients added',
  async () => {
    stage = await createStage(kubernetes);
    await stage.apply(pool({ min: 1, max: 1 }));
    const [worker] = await upToNumber(1);
    const name = `deployment/m-${worker?.revision ?? ''}`;
    await stage.kubectl(['annotate', name, 'example.com/added=yes']);
    await stage.kubectl(['scale', name, '--replicas=3']);
    await stage.kubectl(['patch', 'service', 'm-workers', '-p', '{"spec":{"selector":{"asr.svc.dev/model":"other"}}}']);
    await stage.kubectl(['delete', 'pdb', 'm-workers']);
    await stage.kubectl(['set', 'image', name, 'worker=another']);
    await eventually(async () => {
      const template = { spec: { containers: [{ image: 'worker:1' }] } };
      expect(await deployments()).toMatchObject([{ spec: { replicas: 1, template } }]);
      expect(await stage.list('services')).toMatchObject([{ spec: { selector: { [LABELS.model]: 'm' } } }]);
      expect(await stage.list('policy/poddisruptionbudgets')).toHaveLength(1);
    }, LONG_MS);
    await upToNumber(1);
    expect(await deployments()).toMatchObject([{ metadata: { annotations: { 'example.com/added': 'yes' } } }]);
  },
  TEST_MS,
);

test(
  'workers keep running while the operator is replaced, and the next operator manages them',
  async () => {
    stage = await createStage(kubernetes);
    await stage.apply(pool({ min: 2, max: 2 }));
    const before = await upToNumber(2);
    await stage.restartOperator();
    await eventually(async () => expect((await stage.operator().get('/readyz')).status).toBe(200), LONG_MS);
    expect((await upToNumber(2)).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    await stage.kubectl(['delete', 'pod', before[0]?.id ?? '', '--wait=false']);
    await eventually(async () => {
      const found = await upToNumber(2);
      expect(found.map(({ id }) => id)).not.toContain(before[0]?.id);
      expect(found.map(({ id }) => id)).toContain(before[1]?.id);
    }, LONG_MS);
  },
  TEST_MS,
);

test(
  '"kubectl rollout restart" replaces each worker after its replacement is ready, and no other worker is removed',
  async () => {
    stage = await createStage(kubernetes);
    await stage.apply(pool({ min: 2, max: 2 }));
    const before = (await upToNumber(2)).map(({ id }) => id);
    const seen = watchWorkers();
    await stage.kubectl(['rollout', 'restart', 'deployment', '-l', `${LABELS.model}=m`]);
    await eventually(async () => {
      const found = (await upToNumber(2)).map(({ id }) => id);
      for (const id of before) expect(found).not.toContain(id);
    }, LONG_MS);
    expect(seen.fewest).toBe(2);
    expect(new Set([...before, ...seen.ids]).size).toBe(4);
    const [deployment] = await deployments();
    expect(deployment).toMatchObject({ spec: { replicas: 2 } });
  },
  TEST_MS,
);

test(
  'a "kubectl rollout restart" that is stuck because no node has room prevents neither scaling down nor deletion',
  async () => {
    stage = await createStage(kubernetes);
    await stage.apply(pool({ min: 3, max: 3 }));
    await upToNumber(3);
    const busy = await placed('stream');
    const placedPods = async () =>
      (await pods()).filter(({ metadata, spec }) => {
        const { nodeName } = spec as { nodeName?: string };
        return nodeName !== undefined && metadata.deletionTimestamp === undefined;
      });
    const nodes = (await kubernetes.kubectl(['get', 'nodes', '-o', 'name'])).trim().split('\n');
    try {
      await kubernetes.kubectl(['cordon', ...nodes]);
      await stage.kubectl(['rollout', 'restart', 'deployment', '-l', `${LABELS.model}=m`]);
      await eventually(async () => expect(await pods()).toHaveLength(4), LONG_MS);
      await stage.apply(pool({ min: 1, max: 1 }));
      await eventually(async () => {
        expect((await placedPods()).map(({ metadata }) => metadata.name)).toEqual([busy.id]);
        expect(await deployments()).toMatchObject([{ spec: { replicas: 1 } }]);
      }, LONG_MS);
      await leave('stream');
      await stage.kubectl(['delete', 'asrmodel', 'm', '--wait=false']);
      await eventually(async () => {
        expect(await stage.list('asr.svc.dev/asrmodels')).toEqual([]);
        expect(await pods()).toEqual([]);
      }, LONG_MS);
    } finally {
      await kubernetes.kubectl(['uncordon', ...nodes]);
    }
  },
  TEST_MS,
);

test(
  'an idle worker can be evicted despite the disruption budget, and is replaced',
  async () => {
    stage = await createStage(kubernetes);
    await stage.apply(pool({ min: 1, max: 1 }));
    const [worker] = await upToNumber(1);
    const name = worker?.id ?? '';
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: stage.namespace } };
    const path = `/api/v1/namespaces/${stage.namespace}/pods/${name}/eviction`;
    // The PodDisruptionBudget takes effect after the disruption controller has processed it.
    await eventually(async () => expect((await kubernetes.request('POST', path, eviction)).status).toBe(201), LONG_MS);
    await eventually(async () => expect((await upToNumber(1))[0]?.id).not.toBe(name), LONG_MS);
  },
  TEST_MS,
);

test(
  'a hanging worker is replaced, and no other worker is removed in its place',
  async () => {
    stage = await createStage(kubernetes, { env: { WORKER_LOST_TIMEOUT_MS: '500' } });
    await stage.apply(pool({ min: 2, max: 2 }));
    const [hung, well] = await upToNumber(2);
    stage.silence(hung?.id ?? '');
    await eventually(async () => {
      const found = (await pods()).map(({ metadata }) => metadata.name);
      expect(found).not.toContain(hung?.id);
      expect(found).toContain(well?.id);
    }, LONG_MS);
    await upToNumber(2);
  },
  TEST_MS,
);

test(
  'an ASRModel whose workers cannot start reports why, refuses new sessions, and recovers by itself',
  async () => {
    stage = await createStage(kubernetes, { pods: false });
    await stage.apply(pool({ min: 1, max: 2 }));
    const [pod] = await eventually(async () => {
      const found = await pods();
      expect(found).toHaveLength(1);
      return found;
    }, LONG_MS);
    const path = `/api/v1/namespaces/${stage.namespace}/pods/${pod?.metadata.name ?? ''}/status`;
    const report = (waiting: object) => ({
      status: {
        phase: 'Pending',
        containerStatuses: [
          { name: 'worker', image: 'worker:1', imageID: '', ready: false, restartCount: 0, state: { waiting } },
        ],
      },
    });
    const patch = (body: object) => kubernetes.request('PATCH', path, body, 'application/strategic-merge-patch+json');
    await patch(report({ reason: 'ImagePullBackOff', message: 'no such image' }));
    await eventually(async () => {
      expect(await condition('Degraded')).toMatchObject({
        status: 'True',
        reason: 'ImagePullFailed',
        message: expect.stringContaining('no such image'),
      });
    }, LONG_MS);
    let further = 0;
    await eventually(async () => expect(await held(`s${further++}`)).toBe(false), LONG_MS);
    await patch(report({ reason: 'ContainerCreating' }));
    await eventually(async () => expect(await condition('Degraded')).toMatchObject({ status: 'False' }), LONG_MS);
    await eventually(async () => expect(await held(`s${further++}`)).toBe(true), LONG_MS);
  },
  TEST_MS,
);

test(
  'a failing canary is rolled back, and the next operator does not try it again',
  async () => {
    stage = await createStage(kubernetes);
    const rollout = { canaryPercent: 50, windowSeconds: 3600 };
    await stage.apply(pool({ min: 2, max: 2 }, { rollout }));
    const [good] = await upToNumber(2);
    await stage.apply(pool({ min: 2, max: 2 }, { rollout, worker: { image: 'worker:bad' } }));
    const bad = await eventually(async () => {
      const found = (await workers()).filter(({ draining }) => !draining).map(({ revision }) => revision);
      const others = found.filter((revision) => revision !== good?.revision);
      expect([found.length, others.length]).toEqual([2, 1]);
      expect(await pods()).toHaveLength(2);
      return others[0] ?? '';
    }, LONG_MS);
    await stage.ledger.revisions.add('m', bad, { streams: 30, failures: 10, latencies: [] });
    const isBack = async () => {
      const found = await upToNumber(2);
      expect(new Set(found.map(({ revision }) => revision))).toEqual(new Set([good?.revision]));
      expect(await deployments()).toMatchObject([{ metadata: { name: `m-${good?.revision ?? ''}` } }]);
    };
    await eventually(isBack, LONG_MS);
    await stage.restartOperator();
    const messages = () => stage.operator().lines.map(({ message }) => message);
    await eventually(() => expect(messages().join()).toContain(`revision ${bad} was rolled back`), LONG_MS);
    await isBack();
    await stage.apply(pool({ min: 2, max: 2 }, { rollout, worker: { image: 'worker:better' } }));
    await eventually(async () => expect(await deployments()).toHaveLength(2), LONG_MS);
  },
  TEST_MS,
);
