import { KUBERNETES_TIMEOUT_MS } from '../../../../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../../../../test/support/kubernetes.ts';
import { createStage, startCluster } from '../../../testing/cluster-stage.ts';
import type { Stage } from '../../../testing/cluster-stage.ts';
import { eventually } from '../../../testing/eventually.ts';
import { model } from '../../../testing/resources.ts';
import { LABELS } from '../names.ts';
import { USABLE_LABEL } from './usable-secrets.ts';

const LONG_MS = 60_000;
const TEST_MS = 180_000;
let kubernetes: Kubernetes;
let stage: Stage;

beforeAll(async () => {
  kubernetes = await startCluster();
}, KUBERNETES_TIMEOUT_MS);
afterAll(() => kubernetes.stop());
afterEach(() => stage.close(), LONG_MS);

const pool = (count: number, worker: object = {}) =>
  model('m', { scaling: { min: count, max: count }, rollout: { windowSeconds: 0 }, worker });
const tokenOf = (secret: string) => ({
  env: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: secret, key: 'token' } } }],
});
const createSecret = (name: string, labels: object = {}) =>
  stage.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name, labels }, stringData: { token: 'hidden-value' } });
const revisionsOfPods = async () =>
  (await stage.list('pods', `${LABELS.model}=m`)).map(({ metadata }) => metadata.labels?.[LABELS.revision]);
/** Waits until `count` workers run and all have the same revision, which is not `before`. Returns this revision. */
const upToNumber = (count: number, before = '') =>
  eventually(async () => {
    const workers = (await stage.ledger.workers.list('m')).filter(({ draining }) => !draining);
    const [revision = '', ...others] = new Set(await revisionsOfPods());
    expect([workers.length, (await revisionsOfPods()).length, others]).toEqual([count, count, []]);
    expect(revision).not.toBe(before);
    return revision;
  }, LONG_MS);
const degraded = (expected: object) =>
  eventually(async () => {
    const [object] = await stage.list('asr.svc.dev/asrmodels');
    const { conditions = [] } = (object?.status ?? {}) as { conditions?: { type: string }[] };
    expect(conditions.find(({ type }) => type === 'Degraded')).toMatchObject(expected);
  }, LONG_MS);

test(
  'a change that names an unlabelled Secret does not stop the workers, and is applied after the Secret was labelled',
  async () => {
    stage = await createStage(kubernetes);
    await stage.apply(pool(2));
    const old = await upToNumber(2);
    await createSecret('token');
    await stage.apply(pool(2, tokenOf('token')));
    const command = `kubectl -n ${stage.namespace} label --overwrite secret token ${USABLE_LABEL}=true`;
    await degraded({ status: 'True', reason: 'SecretRefused', message: expect.stringContaining(command) });
    await eventually(async () => {
      const events = await stage.kubectl(['get', 'events', '-o', 'jsonpath={.items[*].message}']);
      expect(events).toContain(command);
    }, LONG_MS);
    expect(await revisionsOfPods()).toEqual([old, old]);
    // Runs exactly the command that the message recommends to the administrator.
    await stage.kubectl(command.split(' ').slice(3));
    const revision = await upToNumber(2, old);
    await degraded({ status: 'False' });

    await stage.kubectl(['label', 'secret', 'token', `${USABLE_LABEL}-`]);
    await degraded({ status: 'True', reason: 'SecretRefused' });
    await stage.apply(pool(3, tokenOf('token')));
    await eventually(async () => {
      const [object] = await stage.list('asr.svc.dev/asrmodels');
      expect(object?.status).toMatchObject({ observedGeneration: object?.metadata.generation });
    }, LONG_MS);
    expect(await revisionsOfPods()).toEqual([revision, revision]);
    await stage.kubectl(['label', 'secret', 'token', `${USABLE_LABEL}=true`]);
    expect(await upToNumber(3)).toBe(revision);
    expect(JSON.stringify(stage.operator().lines)).not.toContain('hidden-value');
  },
  TEST_MS,
);

test(
  'an ASRModel gets no workers if it uses a Secret of svc-asr, even a labelled one, or an image that is not allowed',
  async () => {
    stage = await createStage(kubernetes, { env: { WORKER_OWN_SECRETS: 'admin' } });
    await createSecret('admin', { [USABLE_LABEL]: 'true' });
    await createSecret('peppers', { [USABLE_LABEL]: 'true', [LABELS.partOf]: 'svc-asr' });
    for (const name of ['admin', 'peppers']) {
      await stage.apply(pool(1, tokenOf(name)));
      const message = expect.stringContaining(`Secret "${name}" (spec.worker.env TOKEN) belongs to svc-asr`) as string;
      await degraded({ status: 'True', reason: 'SecretRefused', message });
    }
    await stage.apply(pool(1, { image: 'evil.example/worker:1' }));
    await degraded({ status: 'True', reason: 'ImageRefused' });
    expect(await stage.list('apps/deployments')).toEqual([]);
    await stage.apply(pool(1));
    await upToNumber(1);
  },
  TEST_MS,
);
