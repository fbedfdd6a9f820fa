import { checkResource } from '@svc-asr/core';
import type { AsrModel } from '@svc-asr/core';
import { model } from './resources.ts';
import type { WorkerTemplate } from '../workers/template.ts';
import { buildTemplate, splitTiers } from '../workers/template.ts';
import { buildPrerequisites, buildWorkers } from '../workers/cluster/objects/children.ts';
import type { Child } from '../workers/cluster/objects/children.ts';
import { revisionOf } from '../workers/cluster/objects/pod-template.ts';
import type { Installation } from '../workers/cluster/installation.ts';

/** An installation as the chart configures it. */
export const INSTALLATION: Installation = {
  image: 'registry.example/svc-asr/worker:1.2.3',
  imagePullPolicy: 'IfNotPresent',
  imagePullSecrets: ['registry'],
  allowedImages: ['registry.example/svc-asr/*', 'worker'],
  allowedArtifactHosts: ['models.example:8443', 'registry.example'],
  ownSecrets: ['svc-asr-worker-redis', 'svc-asr-admin-token'],
  ownClaims: ['data-svc-asr-redis-*', 'journal'],
  userId: 65_532,
  redis: {
    secret: undefined,
    prefix: 'svc',
    timeoutMs: 1000,
    ports: [6379],
    labels: { 'app.kubernetes.io/instance': 'svc-asr', 'app.kubernetes.io/component': 'redis' },
  },
  ticketPublicKeysSecret: 'svc-asr-worker-ticket-public-keys',
  tls: true,
  caSecret: 'svc-asr-ca',
  gatewayLabels: { 'app.kubernetes.io/part-of': 'svc-asr', 'app.kubernetes.io/component': 'gateway' },
  otlpEndpoint: '',
  egressPorts: [],
  maxUnavailable: '25%',
};

/** An installation with as few settings as possible. */
export const PLAIN_INSTALLATION: Installation = {
  ...INSTALLATION,
  imagePullSecrets: [],
  userId: 0,
  redis: { ...INSTALLATION.redis, secret: 'svc-asr-worker-redis', labels: {} },
  tls: false,
  caSecret: '',
  maxUnavailable: 1,
};

const fullSpec = {
  artifact: {
    url: 'https://models.example:8443/dholuo-3.tar.gz',
    sha256: 'd'.repeat(64),
    secretRef: { name: 'model-credentials' },
    cache: { claimName: 'model-cache' },
  },
  worker: {
    provider: 'cuda',
    accelerator: { resource: 'nvidia.com/gpu', count: 2 },
    resources: { requests: { cpu: '2', memory: '4Gi' }, limits: { memory: '8Gi' } },
    slots: 120,
    image: 'registry.example/svc-asr/worker-cuda:1.2.3',
    nodeSelector: { 'example.com/gpu': 'a100' },
    tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'example.com/zone', operator: 'In', values: ['a', 'b'] }] }],
        },
      },
    },
    runtimeClassName: 'nvidia',
    priorityClassName: 'streams',
    env: [
      { name: 'MAX_BATCH', value: '64' },
      { name: 'REGION', valueFrom: { configMapKeyRef: { name: 'region', key: 'name' } } },
    ],
    podLabels: { team: 'speech' },
    podAnnotations: { 'example.com/scrape': 'true' },
  },
  drainSeconds: 600,
};

/** One model for each kind of source of model files, and one model with tiers. */
export const MODELS = {
  'cpu-path': model('svc-asr-kikuyu-v1', { artifact: { path: '/models/svc-asr-kikuyu-v1' } }),
  'gpu-url': model('svc-asr-dholuo-v1', fullSpec),
  claim: model('svc-asr-kikuyu-v2', {
    artifact: { persistentVolumeClaim: { claimName: 'models', path: 'kikuyu/v2' } },
    worker: { resources: { requests: { cpu: '0.5', memory: '1Gi' } } },
  }),
  tiers: model('svc-asr-kikuyu-v4', {
    artifact: { path: '/models/svc-asr-kikuyu-v4' },
    worker: { image: 'registry.example/svc-asr/worker-cuda:1.2.3' },
    pools: [
      { name: 'mig', priority: 30, provider: 'cuda', accelerator: { resource: 'nvidia.com/mig-1g.10gb' } },
      { name: 'shared', priority: 20, provider: 'cuda', slots: 40, accelerator: { resource: 'nvidia.com/gpu.shared' } },
      {
        name: 'dra',
        priority: 10,
        provider: 'cuda',
        resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'one-gpu', request: 'gpu' }],
      },
      { name: 'cpu', image: 'registry.example/svc-asr/worker:1.2.3', nodeSelector: { 'example.com/kind': 'cpu' } },
    ],
  }),
  image: model('svc-asr-kikuyu-v3', { artifact: { image: 'registry.example/models/kikuyu:3' } }),
} as const;

/**
 * Guests, which are models that the workers of another model serve. The first gets its files from a claim, the second
 * from a path and the third from a URL.
 */
export const GUESTS = [
  model('guest-claim', {
    hostedBy: 'svc-asr-dholuo-v1',
    artifact: { persistentVolumeClaim: { claimName: 'models', path: 'kikuyu/v2' } },
  }),
  model('guest-path', { hostedBy: 'svc-asr-dholuo-v1', artifact: { path: '/models/g' }, worker: { slots: 30 } }),
  model('guest-url', {
    hostedBy: 'svc-asr-dholuo-v1',
    artifact: { ...fullSpec.artifact, secretRef: { name: 'guest-credentials' }, sha256: 'e'.repeat(64) },
  }),
] as const;

/** Returns the template of a model in a cluster, with its guests. */
export function templateOf(
  resource: object,
  installation = INSTALLATION,
  uid?: string,
  guests: readonly object[] = [],
): WorkerTemplate {
  const [checked, ...checkedGuests] = [resource, ...guests].map(check);
  if (checked === undefined) throw new Error('there is no model');
  const template = { ...buildTemplate(checked, checkedGuests), ...(uid !== undefined && { uid }) };
  return { ...template, revision: revisionOf(template, installation) };
}

function check(resource: object): AsrModel {
  const checked = checkResource(resource);
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return checked.value as AsrModel;
}

/** Returns the prerequisites and the Deployments of a template. */
export function childrenOf(template: WorkerTemplate, installation = INSTALLATION, replicas = 2): Child[] {
  const workers = splitTiers(template).map((one) => buildWorkers(one, installation, replicas));
  return [...buildPrerequisites(template, installation), ...workers];
}
