import { readFileSync } from 'node:fs';
import type { V1PodSpec } from '@kubernetes/client-node';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { model } from '../../../testing/resources.ts';
import type { KubeObject } from '@svc-asr/kubernetes';
import { childrenOf, INSTALLATION, MODELS, PLAIN_INSTALLATION, templateOf } from '../../../testing/cluster-models.ts';
import { LABELS, revisionName, sharedName } from '../names.ts';

const UID = '00000000-0000-0000-0000-000000000001';
const golden = (name: string): unknown[] =>
  parseAllDocuments(readFileSync(join(import.meta.dirname, 'golden', `${name}.yaml`), 'utf8')).map(
    (document): unknown => document.toJS(),
  );
const built = (name: keyof typeof MODELS, installation = INSTALLATION): KubeObject[] =>
  childrenOf(templateOf(MODELS[name], installation, UID), installation).map(({ object }) => object);
const podOf = (deployment: KubeObject) =>
  (deployment as unknown as { spec: { template: { spec: V1PodSpec } } }).spec.template.spec;
const kindOf = (objects: KubeObject[], kind: string) => objects.find((object) => object.kind === kind)!;

test.each([
  ['cpu-path', PLAIN_INSTALLATION],
  ['gpu-url', INSTALLATION],
  ['claim', INSTALLATION],
] as const)('the objects of the model %s equal the reviewed golden file', (name, installation) => {
  expect(built(name, installation)).toEqual(golden(name));
});

test('an artifact image is mounted as a read-only volume', () => {
  const { spec } = kindOf(built('image'), 'Deployment') as unknown as {
    spec: { template: { spec: { volumes: object[]; containers: { volumeMounts: object[] }[] } } };
  };
  const { volumes, containers } = spec.template.spec;
  expect(volumes).toContainEqual({
    name: 'model',
    image: { reference: 'registry.example/models/kikuyu:3', pullPolicy: 'IfNotPresent' },
  });
  expect(containers[0]?.volumeMounts).toContainEqual({ name: 'model', mountPath: '/model', readOnly: true });
});

describe('a model with tiers', () => {
  const objects = built('tiers');
  const template = templateOf(MODELS.tiers, INSTALLATION, UID);
  const ofTier = (kind: string, tier: string) =>
    objects.find((object) => object.kind === kind && object.metadata.labels?.[LABELS.tier] === tier)!;

  test('has one Deployment and one ConfigMap per tier, and one object of every other kind', () => {
    const kinds = objects.map(({ kind }) => kind).sort();
    const each = (kind: string) => Array.from({ length: 4 }, () => kind);
    const shared = ['NetworkPolicy', 'Service', 'ServiceAccount'];
    expect(kinds).toEqual([...each('ConfigMap'), ...each('Deployment'), ...shared]);
    expect(ofTier('Deployment', 'mig').metadata.name).toBe(`svc-asr-kikuyu-v4-${template.revision}-mig`);
    expect(ofTier('Deployment', 'mig')).toHaveProperty(
      'spec.selector.matchLabels',
      expect.objectContaining({ [LABELS.tier]: 'mig', [LABELS.revision]: template.revision }),
    );
    expect(kindOf(objects, 'NetworkPolicy')).toHaveProperty('spec.podSelector.matchLabels', {
      [LABELS.model]: 'svc-asr-kikuyu-v4',
      [LABELS.revision]: template.revision,
    });
  });

  test('names the tier, its provider and its slots in the settings of the workers', () => {
    const data = (tier: string) => (ofTier('ConfigMap', tier) as unknown as { data: Record<string, string> }).data;
    expect(data('shared')).toMatchObject({ TIER: 'shared', PROVIDER: 'cuda', SLOTS: '40' });
    expect(data('cpu')).toMatchObject({ TIER: 'cpu', PROVIDER: 'cpu', SLOTS: '0' });
  });

  test.each([
    ['mig', 'nvidia.com/mig-1g.10gb'],
    ['shared', 'nvidia.com/gpu.shared'],
  ])('requests the device of the tier %s by the resource name %s', (tier, resource) => {
    const { containers } = podOf(ofTier('Deployment', tier));
    expect(containers[0]?.resources).toEqual({ requests: { [resource]: '1' }, limits: { [resource]: '1' } });
  });

  test('passes resource claims to the pods of their tier only', () => {
    const pod = podOf(ofTier('Deployment', 'dra'));
    expect(pod.resourceClaims).toEqual([{ name: 'gpu', resourceClaimTemplateName: 'one-gpu' }]);
    expect(pod.containers[0]?.resources).toEqual({ claims: [{ name: 'gpu', request: 'gpu' }] });
    expect(podOf(ofTier('Deployment', 'cpu'))).not.toHaveProperty('resourceClaims');
  });

  test('uses the image and the node selector of a tier, or those of spec.worker if the tier sets none', () => {
    const [mig, cpu] = [podOf(ofTier('Deployment', 'mig')), podOf(ofTier('Deployment', 'cpu'))];
    expect(mig.containers[0]?.image).toBe('registry.example/svc-asr/worker-cuda:1.2.3');
    expect(cpu.containers[0]?.image).toBe('registry.example/svc-asr/worker:1.2.3');
    expect([mig.nodeSelector, cpu.nodeSelector]).toEqual([undefined, { 'example.com/kind': 'cpu' }]);
  });
});

test('pods avoid nodes with a sick pod of their model and tier, and keep the anti-affinity of the model', () => {
  const own = { topologyKey: 'topology.kubernetes.io/zone', labelSelector: { matchLabels: { app: 'noisy' } } };
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [own] };
  const tiers = [{ name: 'gpu', provider: 'cuda' }, { name: 'cpu' }];
  const spec = { artifact: { path: '/models/m' }, worker: { affinity: { podAntiAffinity } }, pools: tiers };
  const deployments = childrenOf(templateOf(model('m', spec), INSTALLATION, UID), INSTALLATION)
    .map(({ object }) => object)
    .filter(({ kind }) => kind === 'Deployment');
  const sickPods = (tier: string) => ({
    topologyKey: 'kubernetes.io/hostname',
    labelSelector: {
      matchLabels: { [LABELS.model]: 'm', [LABELS.tier]: tier },
      matchExpressions: [{ key: LABELS.sick, operator: 'Exists' }],
    },
  });
  expect(deployments.map((deployment) => podOf(deployment).affinity?.podAntiAffinity)).toEqual(
    ['cpu', 'gpu'].map((tier) => ({ requiredDuringSchedulingIgnoredDuringExecution: [own, sickPods(tier)] })),
  );
});

test('the revision of a model changes if something about its pods changes, and only then', () => {
  const spec = { artifact: { path: '/models/m' } };
  const revisionOf = (more: object, installation = INSTALLATION) =>
    templateOf(model('m', { ...spec, ...more }), installation).revision;
  const revision = revisionOf({});
  expect(revision).toMatch(/^[0-9a-f]{12}$/);
  expect(
    revisionOf({ scaling: { min: 1, max: 9, provisionSeconds: 60 }, rollout: { canaryPercent: 5, maxSurge: 0 } }),
  ).toBe(revision);
  expect(revisionOf({}, { ...INSTALLATION, maxUnavailable: 1, egressPorts: [443] })).toBe(revision);
  const others = [
    revisionOf({ artifact: { path: '/models/n' } }),
    revisionOf({ worker: { slots: 7 } }),
    revisionOf({ worker: { image: 'other' } }),
    revisionOf({ drainSeconds: 400 }),
    revisionOf({}, { ...INSTALLATION, image: 'next' }),
    revisionOf({}, { ...INSTALLATION, otlpEndpoint: 'http://collector:4318' }),
    revisionOf({}, { ...INSTALLATION, otlpEndpoint: 'http://collector:4317' }),
    revisionOf({}, { ...INSTALLATION, redis: { ...INSTALLATION.redis, prefix: 'other' } }),
    templateOf(model('n', spec)).revision,
  ];
  expect(new Set([revision, ...others]).size).toBe(1 + others.length);
});

test.each([
  ['http://collector.monitoring:4318', 4318],
  ['http://collector.example', 80],
  ['https://collector.example/otlp', 443],
])('workers send telemetry to %s and may connect to its port', (otlpEndpoint, port) => {
  const objects = built('cpu-path', { ...PLAIN_INSTALLATION, otlpEndpoint });
  expect(kindOf(objects, 'ConfigMap')).toHaveProperty('data.OTEL_EXPORTER_OTLP_ENDPOINT', otlpEndpoint);
  const { spec } = kindOf(objects, 'NetworkPolicy') as unknown as { spec: { egress: { ports: object[] }[] } };
  expect(spec.egress.flatMap(({ ports }) => ports)).toContainEqual({ protocol: 'TCP', port });
});

test.each([
  ['image', INSTALLATION, []],
  ['claim', INSTALLATION, []],
  ['gpu-url', INSTALLATION, [{ ports: [{ protocol: 'TCP', port: 8443 }] }]],
  ['claim', { ...INSTALLATION, egressPorts: [443] }, [{ ports: [{ protocol: 'TCP', port: 443 }] }]],
  ['claim', { ...INSTALLATION, otlpEndpoint: 'http://c:4318' }, [{ ports: [{ protocol: 'TCP', port: 4318 }] }]],
] as const)(
  'workers of the model %s may connect only to DNS, to Redis and to the ports that they need (case %#)',
  (name, installation, more) => {
    const { spec } = kindOf(built(name, installation), 'NetworkPolicy') as unknown as { spec: { egress: object[] } };
    const ports = (port: number) => ['UDP', 'TCP'].map((protocol) => ({ protocol, port }));
    const redis = { podSelector: { matchLabels: INSTALLATION.redis.labels } };
    expect(spec.egress).toEqual([
      { ports: [...ports(53), ...ports(5353)] },
      { to: [redis], ports: [{ protocol: 'TCP', port: 6379 }] },
      ...more,
    ]);
  },
);

test('workers may connect to the ports of an external Redis at any address, and to no other port except DNS', () => {
  const external = { ...INSTALLATION.redis, labels: {}, ports: [6380, 6379] };
  const { spec } = kindOf(built('claim', { ...INSTALLATION, redis: external }), 'NetworkPolicy') as unknown as {
    spec: { egress: object[] };
  };
  const ports = [6379, 6380].map((port) => ({ protocol: 'TCP', port }));
  expect(spec.egress.slice(1)).toEqual([{ ports }]);
});

test('revisionName and sharedName respect the length limit, and sharedName differs for long names with the same start', () => {
  const [long, longer] = ['a'.repeat(63), `${'a'.repeat(62)}b`];
  expect(revisionName('m', '0123456789ab')).toBe('m-0123456789ab');
  expect(revisionName(long, '0123456789ab')).toHaveLength(63);
  expect(revisionName(long, '0123456789ab', 'reserved')).toBe(`${'a'.repeat(41)}-0123456789ab-reserved`);
  expect(sharedName('m')).toBe('m-workers');
  expect(sharedName(long)).toHaveLength(63);
  expect(sharedName(long)).not.toBe(sharedName(longer));
  expect(revisionName(`${'a'.repeat(49)}-${'b'.repeat(13)}`, '0123456789ab')).toBe(`${'a'.repeat(49)}-0123456789ab`);
});
