import { KUBERNETES_TIMEOUT_MS, borrowKubernetes } from '../../../../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../../../../test/support/kubernetes.ts';
import { demand } from '../../../../../test/support/kubernetes/request.ts';
import type { Answer } from '../../../../../test/support/answer.ts';
import { model } from '../../../testing/resources.ts';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeObject, ResourceType } from '@svc-asr/kubernetes';
import type { Child } from './children.ts';
import { hasDrifted } from './drift.ts';
import { childrenOf, INSTALLATION, MODELS, PLAIN_INSTALLATION, templateOf } from '../../../testing/cluster-models.ts';

let kubernetes: Kubernetes;
let namespace: string;

beforeAll(async () => {
  kubernetes = await borrowKubernetes();
  namespace = await kubernetes.createNamespace({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  const needed = [
    { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'nvidia' }, handler: 'nvidia' },
    { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'streams' }, value: 1000 },
  ];
  for (const object of needed) await kubectl(['create', '-f', '-'], object);
}, KUBERNETES_TIMEOUT_MS);
afterAll(() => kubernetes.stop());

const kubectl = (args: string[], input?: object) =>
  kubernetes.kubectl(['-n', namespace, ...args], input && JSON.stringify(input));

function pathOf({ group, plural }: ResourceType): string {
  return `${group === '' ? '/api' : `/apis/${group}`}/v1/namespaces/${namespace}/${plural}`;
}

async function apply(children: readonly Child[]): Promise<void> {
  for (const { type, object } of children) {
    const path = `${pathOf(type)}/${object.metadata.name}?fieldManager=svc-asr-operator&force=true`;
    await demand(kubernetes.request('PATCH', path, object, 'application/apply-patch+yaml'));
  }
}

async function read({ type, object }: Child): Promise<KubeObject> {
  return (await demand(kubernetes.request('GET', `${pathOf(type)}/${object.metadata.name}`))) as KubeObject;
}

/** Creates a pod in a dry run and returns the response of the API server. */
async function tryPod(template: object): Promise<Answer> {
  const pod = { apiVersion: 'v1', kind: 'Pod', ...template } as KubeObject;
  const named = { ...pod, metadata: { ...pod.metadata, name: 'pod' } };
  return kubernetes.request('POST', `${pathOf(TYPES.Pod)}?dryRun=All`, named);
}

async function drifted(children: readonly Child[]): Promise<string[]> {
  const found: string[] = [];
  for (const child of children) if (hasDrifted(await read(child), child.object)) found.push(child.object.kind);
  return found;
}

test.each(Object.keys(MODELS) as (keyof typeof MODELS)[])(
  'the API server accepts the prerequisites and Deployments of the model %s, and its pods under Pod Security "restricted"',
  async (name) => {
    for (const installation of [INSTALLATION, PLAIN_INSTALLATION]) {
      const children = childrenOf(templateOf(MODELS[name], installation), installation);
      await apply(children);
      expect(await drifted(children)).toEqual([]);
      const { spec } = children.at(-1)!.object as unknown as { spec: { template: { spec: object } } };
      const { status, text } = await tryPod(spec.template);
      expect([status, text]).toEqual([201, expect.stringContaining('"automountServiceAccountToken":false')]);
      // A pod without a security context must be refused. This shows that the namespace enforces Pod Security.
      const careless = { ...spec.template, spec: { ...spec.template.spec, securityContext: {} } };
      expect((await tryPod(careless)).status).toBe(403);
    }
  },
  120_000,
);

test('hasDrifted detects fields of the operator that other clients changed, and ignores fields that they added', async () => {
  const children = childrenOf(templateOf(model('drifting', { worker: { resources: { limits: { cpu: '0.5' } } } })));
  const deployment = children.at(-1)!;
  const name = `deployment/${deployment.object.metadata.name}`;
  await apply(children);
  await kubectl(['annotate', name, 'example.com/added=yes']);
  await kubectl(['label', name, 'added=yes']);
  await kubectl(['set', 'env', name, 'ADDED=yes']);
  const other = { name: 'sidecar', image: 'sidecar', resources: {} };
  await kubectl(['patch', name, '-p', JSON.stringify({ spec: { template: { spec: { containers: [other] } } } })]);
  expect(await drifted(children)).toEqual([]);

  await kubectl(['set', 'image', name, 'worker=another']);
  expect(await drifted(children)).toEqual(['Deployment']);
  await apply([deployment]);
  expect(await drifted(children)).toEqual([]);
  expect(await read(deployment)).toMatchObject({
    metadata: { annotations: { 'example.com/added': 'yes' } },
    spec: { template: { spec: { containers: expect.arrayContaining([expect.objectContaining(other)]) } } },
  });
});
