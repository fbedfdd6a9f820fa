import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../tools/launch/processes.mjs';
import { send } from './answer.ts';
import { eventually } from './eventually.ts';
import { KUBERNETES_TIMEOUT_MS, startKubernetes } from './kubernetes.ts';
import type { Kubernetes } from './kubernetes.ts';

const WITHIN_MS = 60_000;
const TEST_TIMEOUT_MS = 120_000;
const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

let folder: string;
let kubernetes: Kubernetes;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-asr-crds-'));
  const crd = join(folder, 'widgets.json');
  writeFileSync(crd, JSON.stringify(WIDGETS));
  kubernetes = await startKubernetes({ controllers: true, crds: [crd] });
}, KUBERNETES_TIMEOUT_MS);

afterAll(async () => {
  await kubernetes.stop();
  rmSync(folder, { recursive: true });
}, TEST_TIMEOUT_MS);

/** Returns the objects of a kind in a namespace. */
async function list(namespace: string, kind: string) {
  return JSON.parse(await kubernetes.kubectl(['-n', namespace, 'get', kind, '-o', 'json'])).items;
}

async function deploy(namespace: string, replicas: number): Promise<void> {
  const args = ['create', 'deployment', 'app', '--image=example.com/app', `--replicas=${replicas}`];
  await kubernetes.kubectl(['-n', namespace, ...args]);
}

test(
  'the test cluster refuses anonymous requests',
  async () => {
    expect(await send(`${kubernetes.url}/api`, { ca: kubernetes.ca })).toMatchObject({ status: 401 });
  },
  TEST_TIMEOUT_MS,
);

test(
  'a service account of the test cluster may do only what its role allows',
  async () => {
    const namespace = await kubernetes.createNamespace();
    const kubeconfig = await kubernetes.kubeconfigFor(namespace, 'reader');
    const asReader = (args: string[]) => kubernetes.kubectl([`--kubeconfig=${kubeconfig}`, ...args]);
    await expect(asReader(['get', 'configmaps'])).rejects.toThrow(/forbidden/i);

    const inNamespace = ['-n', namespace, 'create'];
    await kubernetes.kubectl([...inNamespace, 'role', 'reader', '--verb=list', '--resource=configmaps']);
    const subject = `--serviceaccount=${namespace}:reader`;
    await kubernetes.kubectl([...inNamespace, 'rolebinding', 'reader', '--role=reader', subject]);
    await eventually('the role is applied', WITHIN_MS, () =>
      asReader(['get', 'configmaps']).then(
        () => true,
        () => false,
      ),
    );
    await expect(asReader(['get', 'secrets'])).rejects.toThrow(/forbidden/i);
    await expect(asReader(['create', 'configmap', 'mine'])).rejects.toThrow(/forbidden/i);
  },
  TEST_TIMEOUT_MS,
);

test(
  'a Deployment of the test cluster gets a ReplicaSet and pods, which stay Pending',
  async () => {
    const namespace = await kubernetes.createNamespace();
    await deploy(namespace, 2);
    const pods = await eventually('there are two pods', WITHIN_MS, async () => {
      const found = await list(namespace, 'pods');
      return found.length === 2 && found;
    });
    expect(await list(namespace, 'replicasets')).toHaveLength(1);
    for (const pod of pods) expect(pod.status.phase).toBe('Pending');
  },
  TEST_TIMEOUT_MS,
);

test(
  'the test cluster deletes objects when the custom resource that owns them is deleted',
  async () => {
    const namespace = await kubernetes.createNamespace();
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'owner', namespace } };
    const owner = JSON.parse(await kubernetes.kubectl(['create', '-o', 'json', '-f', '-'], JSON.stringify(widget)));
    const { uid } = owner.metadata;
    const ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'owner', uid }];
    const metadata = { name: 'owned', namespace, ownerReferences };
    const owned = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    await kubernetes.kubectl(['create', '-f', '-'], JSON.stringify(owned));
    await kubernetes.kubectl(['-n', namespace, 'delete', 'widget', 'owner']);
    await eventually('the owned object is deleted', WITHIN_MS, async () => {
      const found = await list(namespace, 'configmaps');
      return found.every((object: { metadata: { name: string } }) => object.metadata.name !== 'owned');
    });
  },
  TEST_TIMEOUT_MS,
);

test(
  'a restart of the API server keeps its data and its address',
  async () => {
    const namespace = await kubernetes.createNamespace();
    await kubernetes.kubectl(['-n', namespace, 'create', 'configmap', 'kept', '--from-literal=a=b']);
    const before = kubernetes.apiServerPid;
    await kubernetes.stopApiServer();
    await expect(kubernetes.request('GET', '/api')).rejects.toThrow('ECONNREFUSED');
    await kubernetes.startApiServer();
    expect(kubernetes.apiServerPid).not.toBe(before);
    const kept = await kubernetes.request('GET', `/api/v1/namespaces/${namespace}/configmaps/kept`);
    expect(kept).toMatchObject({ status: 200, body: { data: { a: 'b' } } });
  },
  TEST_TIMEOUT_MS,
);

test(
  'two test clusters are independent, and the API server of a cluster ends when the test that started the cluster is killed',
  async () => {
    const source = JSON.stringify(join(import.meta.dirname, 'kubernetes.ts'));
    // Without controllers, a pod can still be created. It then stays unchanged.
    const script = `const { startKubernetes } = await import(${source});
      const { apiServerPid, folder, createNamespace, kubectl } = await startKubernetes();
      const namespace = await createNamespace();
      await kubectl(['-n', namespace, 'run', 'pod', '--image=example.com/app']);
      console.log(JSON.stringify([apiServerPid, folder, namespace]));
      setInterval(() => 0, 1000);`;
    const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [pid, data, namespace] = JSON.parse(
      await new Promise<string>((resolve, reject) => {
        child.stdout.once('data', (text: Buffer) => resolve(text.toString()));
        child.once('exit', () => reject(new Error('the process ended before its cluster was ready')));
      }),
    );
    try {
      expect((await kubernetes.request('GET', `/api/v1/namespaces/${namespace}`)).status).toBe(404);
      expect(isAlive(pid)).toBe(true);
      child.kill('SIGKILL');
      await eventually('the API server has ended', WITHIN_MS, () => !isAlive(pid));
    } finally {
      child.kill('SIGKILL');
      rmSync(data, { recursive: true, force: true, maxRetries: 50, retryDelay: 200 });
    }
  },
  KUBERNETES_TIMEOUT_MS,
);

test(
  'stop() ends the test cluster and deletes its folder',
  async () => {
    // This test is the last one, because the others need the cluster.
    const { apiServerPid, folder: data } = kubernetes;
    expect([isAlive(apiServerPid), existsSync(data)]).toEqual([true, true]);
    await kubernetes.stop();
    expect([isAlive(apiServerPid), existsSync(data)]).toEqual([false, false]);
  },
  TEST_TIMEOUT_MS,
);
