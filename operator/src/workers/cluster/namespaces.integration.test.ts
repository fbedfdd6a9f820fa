import { KUBERNETES_TIMEOUT_MS } from '../../../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../../../test/support/kubernetes.ts';
import { demand } from '../../../../test/support/kubernetes/request.ts';
import type { KubeObject } from '@svc-asr/kubernetes';
import { createStage, startCluster, TICKET_KEYS } from '../../testing/cluster-stage.ts';
import type { Stage } from '../../testing/cluster-stage.ts';
import { eventually } from '../../testing/eventually.ts';
import { model } from '../../testing/resources.ts';
import { writeTestCa } from '../../testing/worker-ca.ts';
import { readSecret } from './secret/model-secret.ts';

const LONG_MS = 60_000;
const TEST_MS = 180_000;
const one = { scaling: { min: 1, max: 1 } };
let kubernetes: Kubernetes;
let stage: Stage;

beforeAll(async () => {
  kubernetes = await startCluster();
  stage = await createStage(kubernetes, { twoNamespaces: true, env: (await writeTestCa()).settings });
}, KUBERNETES_TIMEOUT_MS);
afterAll(async () => {
  await stage.close();
  await kubernetes.stop();
}, KUBERNETES_TIMEOUT_MS);

const kubectlIn = (namespace: string, args: string[], input?: object) =>
  kubernetes.kubectl(['-n', namespace, ...args], input && JSON.stringify(input));
const applyIn = (namespace: string, resource: object) => kubectlIn(namespace, ['apply', '-f', '-'], resource);
const deleteIn = (namespace: string, name: string) =>
  kubectlIn(namespace, ['delete', 'asrmodel', name, '--wait=false']);
const eventuallyLong = <T>(check: () => T | Promise<T>) => eventually(check, LONG_MS);

interface ModelStatus {
  readyReplicas?: number;
  conditions?: { type: string; status: string; reason: string; message: string }[];
}
async function statusIn(namespace: string, name: string): Promise<ModelStatus> {
  const path = `/apis/asr.svc.dev/v1/namespaces/${namespace}/asrmodels/${name}`;
  const { status = {} } = (await demand(kubernetes.request('GET', path))) as { status?: ModelStatus };
  return status;
}
const conditionIn = async (namespace: string, name: string, type: string) =>
  (await statusIn(namespace, name)).conditions?.find((condition) => condition.type === type);
const names = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name);
const workersIn = (namespace: string, name: string) => stage.list('pods', `asr.svc.dev/model=${name}`, namespace);

test(
  "a model outside of the installation's namespace has ready workers, and a Secret with the values that they need",
  async () => {
    const { namespace, modelNamespace } = stage;
    await applyIn(modelNamespace, model('apart', one));
    await eventuallyLong(async () => {
      expect((await statusIn(modelNamespace, 'apart')).readyReplicas).toBe(1);
      expect(await conditionIn(modelNamespace, 'apart', 'Ready')).toMatchObject({ status: 'True' });
    });
    expect(await workersIn(modelNamespace, 'apart')).toHaveLength(1);
    expect((await stage.ledger.catalogue.read())?.map(({ id }) => id)).toEqual(['apart']);
    const [secret] = await stage.list('secrets', 'asr.svc.dev/model=apart', modelNamespace);
    const values = readSecret(secret);
    expect(Object.keys(values).sort()).toEqual(['keys.pem', 'tls.crt', 'tls.key', 'url']);
    expect(values['keys.pem']).toBe(TICKET_KEYS);
    expect(values.url).toContain('worker%3Asvc%3Aapart');
    const [policy] = await stage.list('networking.k8s.io/networkpolicies', 'asr.svc.dev/model=apart', modelNamespace);
    expect(JSON.stringify(policy?.spec)).toContain(`{"kubernetes.io/metadata.name":"${namespace}"}`);
    for (const plural of ['secrets', 'configmaps', 'services', 'serviceaccounts', 'pods', 'apps/deployments']) {
      expect([plural, names(await stage.list(plural, 'asr.svc.dev/model=apart'))]).toEqual([plural, []]);
    }
  },
  TEST_MS,
);

test(
  'of two models with the same name, the first serves, and the second reports NameTaken until the first is deleted',
  async () => {
    const { namespace, modelNamespace } = stage;
    await applyIn(modelNamespace, model('twice', one));
    await eventuallyLong(async () => expect((await statusIn(modelNamespace, 'twice')).readyReplicas).toBe(1));
    await applyIn(namespace, model('twice', one));
    await eventuallyLong(async () => {
      const ready = await conditionIn(namespace, 'twice', 'Ready');
      expect(ready).toMatchObject({ status: 'False', reason: 'NameTaken' });
      expect(ready?.message).toContain(`namespace "${modelNamespace}" already has a model of this name`);
    });
    await eventuallyLong(async () => {
      const events = await stage.list('events');
      expect(events.map(({ reason }) => reason)).toContain('NameTaken');
    });
    // After a restart of the operator, the name still belongs to the first model.
    await stage.restartOperator();
    await eventuallyLong(async () => expect((await stage.operator().get('/readyz')).body).toBe('ok\n'));
    expect(await workersIn(namespace, 'twice')).toEqual([]);
    expect(await workersIn(modelNamespace, 'twice')).toHaveLength(1);

    await deleteIn(modelNamespace, 'twice');
    await eventuallyLong(async () => {
      expect(await workersIn(modelNamespace, 'twice')).toEqual([]);
      expect((await statusIn(namespace, 'twice')).readyReplicas).toBe(1);
      expect(await conditionIn(namespace, 'twice', 'Ready')).toMatchObject({ status: 'True' });
    });
    expect(names(await stage.list('asr.svc.dev/asrmodels', '', modelNamespace))).not.toContain('twice');
  },
  TEST_MS,
);

test(
  'a model that reports NameTaken can be deleted without an effect on the model of the same name in another namespace',
  async () => {
    const { namespace, modelNamespace } = stage;
    await applyIn(namespace, model('kept', one));
    await eventuallyLong(async () => expect((await statusIn(namespace, 'kept')).readyReplicas).toBe(1));
    await applyIn(modelNamespace, model('kept', one));
    await eventuallyLong(async () =>
      expect(await conditionIn(modelNamespace, 'kept', 'Ready')).toMatchObject({ reason: 'NameTaken' }),
    );
    await kubectlIn(modelNamespace, ['delete', 'asrmodel', 'kept']);
    expect(await conditionIn(namespace, 'kept', 'Ready')).toMatchObject({ status: 'True' });
    expect(await workersIn(namespace, 'kept')).toHaveLength(1);
  },
  TEST_MS,
);

test(
  'a guest whose host is in another namespace is not available, with the reason HostInOtherNamespace',
  async () => {
    const { namespace, modelNamespace } = stage;
    await applyIn(namespace, model('host', one));
    await applyIn(modelNamespace, model('guest', { hostedBy: 'host' }));
    await eventuallyLong(async () =>
      expect(await conditionIn(modelNamespace, 'guest', 'Available')).toMatchObject({
        status: 'False',
        reason: 'HostInOtherNamespace',
      }),
    );
  },
  TEST_MS,
);

test(
  "deleting a model outside of the installation's namespace removes its workers, objects and finalizer",
  async () => {
    const { modelNamespace } = stage;
    await applyIn(modelNamespace, model('past', one));
    await eventuallyLong(async () => expect((await statusIn(modelNamespace, 'past')).readyReplicas).toBe(1));
    await deleteIn(modelNamespace, 'past');
    await eventuallyLong(async () => {
      for (const plural of ['asr.svc.dev/asrmodels', 'secrets', 'pods', 'apps/deployments']) {
        const found = names(await stage.list(plural, '', modelNamespace)).filter((name) => name.startsWith('past'));
        expect([plural, found]).toEqual([plural, []]);
      }
    });
    expect((await stage.ledger.catalogue.read())?.map(({ id }) => id)).not.toContain('past');
  },
  TEST_MS,
);
