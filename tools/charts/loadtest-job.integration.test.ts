import { KUBERNETES_TIMEOUT_MS, borrowKubernetes } from '../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../test/support/kubernetes.ts';
import { createDryRun } from './testing/dry-run.ts';
import { namesOf, podOf, readLoadtestJob } from './testing/loadtest-job.ts';
import { NAMESPACE, podsOf, render } from './testing/render.ts';
import type { ChartObject } from './testing/render.ts';

const WITHIN_MS = 120_000;
const USUAL_PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'wss:': 443, 'http:': 80, 'ws:': 80 };

let kubernetes: Kubernetes;
beforeAll(async () => {
  kubernetes = await borrowKubernetes();
}, KUBERNETES_TIMEOUT_MS);
afterAll(() => kubernetes.stop());

interface Policy extends ChartObject {
  spec: { podSelector: { matchLabels: Record<string, string> } };
}

test(
  'loadtest/job.yaml uses Services, Secrets, labels and the image tag of a release',
  async () => {
    const objects = await render({ console: { adminApi: { enabled: true } } });
    const { labels, image, addresses, secrets } = namesOf(readLoadtestJob(NAMESPACE));
    const services = objects.filter(({ kind }) => kind === 'Service') as (ChartObject & {
      spec: { ports: { port: number }[] };
    })[];
    const served = services.flatMap(({ metadata, spec }) => spec.ports.map(({ port }) => `${metadata.name}:${port}`));
    const asked = Object.values(addresses).map(
      ({ hostname, port, protocol }) => `${hostname}:${port === '' ? USUAL_PORTS[protocol] : port}`,
    );
    expect(asked).toEqual([
      ...['svc-asr-gateway:443', 'svc-asr-gateway:443'],
      ...['svc-asr-console-admin:9443', 'svc-asr-operator-admin:9090'],
    ]);
    expect(asked.filter((address) => !served.includes(address))).toEqual([]);
    const generated = objects.filter(({ kind }) => kind === 'Secret') as (ChartObject & { stringData: object })[];
    const keys = generated.flatMap(({ metadata, stringData }) =>
      Object.keys(stringData).map((key) => `${metadata.name}/${key}`),
    );
    expect(secrets).toHaveLength(3);
    expect(secrets.filter((key) => !keys.includes(key))).toEqual([]);
    // Two network policies select the pod of the Job. One denies everything, and the other allows what the pod needs.
    const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy') as Policy[];
    const about = policies.filter(({ spec }) =>
      Object.entries(spec.podSelector.matchLabels).every(([name, value]) => labels[name] === value),
    );
    expect(about.map(({ metadata }) => metadata.name).sort()).toEqual(['svc-asr-default-deny', 'svc-asr-loadtest']);
    const [, gateway] = podsOf(objects).find(([name]) => name === 'Deployment svc-asr-gateway') ?? [];
    expect(image).toBe(gateway?.spec.containers[0]?.image?.replace('svc-asr-gateway', 'svc-asr-loadtest'));
  },
  WITHIN_MS,
);

test(
  'the API server accepts loadtest/job.yaml with strict validation and its pod under Pod Security "restricted"',
  async () => {
    const namespace = await kubernetes.createNamespace({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    const job = readLoadtestJob(namespace);
    const dryRun = createDryRun(kubernetes);
    expect(await dryRun(job)).toBeUndefined();
    expect(await dryRun({ ...job, spec: { ...(job.spec as object), backofLimit: 0 } })).toContain('backofLimit');
    const { metadata, spec } = podOf(job);
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: 'pod', namespace }, spec };
    const post = (body: object) => kubernetes.request('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, body);
    const { status, text } = await post(pod);
    expect([status, status === 201 ? '' : text]).toEqual([201, '']);
    expect((await post({ ...pod, spec: { ...spec, securityContext: {} } })).status).toBe(403);
  },
  WITHIN_MS,
);
