import { TYPES } from '@svc-asr/kubernetes';
import { createObjectStore } from '../../kubernetes/reflect/store.ts';
import { createNotices } from '../../notices.ts';
import { systemClock } from '../../queue/clock.ts';
import { createClusterApi } from '../../testing/cluster-api.ts';
import type { ClusterApi } from '../../testing/cluster-api.ts';
import { INSTALLATION, MODELS, templateOf } from '../../testing/cluster-models.ts';
import { createTestLogger } from '../../testing/logs.ts';
import { model } from '../../testing/resources.ts';
import type { WorkerTemplate } from '../template.ts';
import { trimSecret, USABLE_LABEL } from './admission/usable-secrets.ts';
import { LABELS, revisionName } from './names.ts';
import { ClusterRuntime } from './runtime.ts';

const OLD = templateOf(model('m'), INSTALLATION, 'uid');

let cluster: ClusterApi;
let runtime: ClusterRuntime;
let changed: string[];

beforeEach(async () => {
  cluster = createClusterApi();
  changed = [];
  runtime = new ClusterRuntime({
    api: cluster.api,
    reflect: cluster.reflect,
    installation: INSTALLATION,
    secretSources: [],
    events: { record: () => undefined },
    overdueMs: 0,
    scaleRetryMs: 20,
    enqueue: () => undefined,
    logger: createTestLogger().logger,
    notices: createNotices(),
    nowMs: systemClock.nowMs,
  });
  await runtime.open({ onEnded: () => undefined, onChanged: (name) => changed.push(name) });
});
afterEach(() => runtime.close());

const pod = (name: string, revision: string) =>
  cluster.put(TYPES.Pod, {
    metadata: { name, labels: { [LABELS.model]: 'm', [LABELS.revision]: revision } },
    spec: { nodeName: 'n' },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  });
const replicas = (name = revisionName('m', OLD.revision)) =>
  (cluster.get(TYPES.Deployment, name)?.spec as { replicas?: number } | undefined)?.replicas;
/** Applies a desired state with these counts and converges once. The first template is the newest one of the model. */
const apply = async (counts: readonly (readonly [WorkerTemplate, number])[]) => {
  runtime.apply('m', {
    template: counts[0]?.[0],
    counts: new Map(counts.map(([{ revision }, count]) => [revision, count])),
    stop: [],
    scale: undefined,
    rollout: undefined,
  });
  await runtime.converge('m');
};

describe('a model that names a Secret', () => {
  const withSecret = (spec: object) => templateOf(model('m', spec), INSTALLATION, 'uid');
  const variable = (name: string) => ({ name: 'TOKEN', valueFrom: { secretKeyRef: { name, key: 'token' } } });
  const ENV = withSecret({ worker: { env: [variable('token')] } });
  const DOWNLOAD = { ...templateOf(MODELS['gpu-url']), model: 'm' };
  const label = (name: string, value: string, more: object = {}) =>
    cluster.put(TYPES.Secret, { metadata: { name, labels: { [USABLE_LABEL]: value, ...more } } });

  test('gets no workers until the Secret has the label that lets models use it', async () => {
    await apply([[ENV, 1]]);
    expect(cluster.writes).toEqual([]);
    expect(runtime.startFailure(ENV)).toEqual({
      reason: 'SecretRefused',
      message:
        'Secret "token" (spec.worker.env TOKEN) does not exist, or models may not use it. To allow it, run ' +
        '"kubectl -n asr label --overwrite secret token asr.svc.dev/usable-by-models=true"',
      isRefusal: true,
    });
    changed.length = 0;
    label('other', 'true');
    expect(changed).toEqual([]);
    label('token', 'true');
    expect(changed).toEqual(['m']);
    expect(runtime.startFailure(ENV)).toBeUndefined();
    await apply([[ENV, 1]]);
    expect(replicas(revisionName('m', ENV.revision))).toBe(1);
  });

  test('may use a Secret with the label "artifact" for its download, but not in an environment variable', async () => {
    label('model-credentials', 'artifact');
    label('token', 'artifact');
    await apply([[DOWNLOAD, 0]]);
    expect(runtime.startFailure(DOWNLOAD)).toBeUndefined();
    await apply([[ENV, 0]]);
    expect(runtime.startFailure(ENV)).toMatchObject({ reason: 'SecretRefused' });
  });

  test.each([
    ['a Secret whose name is in the settings', 'svc-asr-admin-token', {}],
    ['a Secret with the labels of svc-asr', 'token', { [LABELS.partOf]: 'svc-asr' }],
  ])('must not use %s, even if a label of that Secret lets models use it', async (_what, name, labels) => {
    label(name, 'true', labels);
    const template = withSecret({ worker: { env: [variable(name)] } });
    await apply([[template, 1]]);
    expect(cluster.writes).toEqual([]);
    expect(runtime.startFailure(template)?.message).toContain(`Secret "${name}" (spec.worker.env TOKEN) belongs to`);
  });

  test('keeps and scales up the workers of its previous revision while the Secret is refused', async () => {
    await apply([[OLD, 1]]);
    pod('a', OLD.revision);
    await apply([
      [ENV, 1],
      [OLD, 2],
    ]);
    expect(replicas()).toBe(2);
    expect(cluster.get(TYPES.Deployment, revisionName('m', ENV.revision))).toBeUndefined();
  });

  test('keeps its running workers, but gets no further workers, after the Secret has lost the label that lets models use it', async () => {
    const name = revisionName('m', ENV.revision);
    label('token', 'true');
    await apply([[ENV, 2]]);
    for (const worker of ['a', 'b']) pod(worker, ENV.revision);
    cluster.put(TYPES.Secret, { metadata: { name: 'token' } });
    await apply([[ENV, 3]]);
    expect(replicas(name)).toBe(2);
    // For an older revision, the operator checks the Secrets that the Deployment of the revision names.
    await apply([
      [OLD, 1],
      [ENV, 3],
    ]);
    expect([replicas(), replicas(name)]).toEqual([1, 2]);
    expect(runtime.startFailure(ENV)).toMatchObject({ reason: 'SecretRefused' });
    label('token', 'true');
    await apply([[ENV, 3]]);
    expect(replicas(name)).toBe(3);
  });
});

test('replace() of the object store reports a Secret that was added, changed or recreated since the previous list, although the store keeps only metadata of Secrets', () => {
  const secret = (resourceVersion: string, uid = 'uid') =>
    trimSecret({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'token', uid, resourceVersion } });
  const store = createObjectStore();
  expect(store.replace([secret('1')])).toEqual(['token']);
  expect(store.replace([secret('1')])).toEqual([]);
  expect(store.replace([secret('2')])).toEqual(['token']);
  expect(store.replace([secret('2', 'other')])).toEqual(['token']);
});
