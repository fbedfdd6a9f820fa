/** The user of every image; the same number as in other images without a shell, so that policies know it. */
export const USER = { id: 65532, name: 'nonroot' } as const;
/** What starts a load test: Node and k6 run sources as they are. */
export const LOADTEST_TASK = 'tools/tasks/loadtest.ts';

/** An image of one service, or of the load tests. */
export interface ServiceImage {
  /** Its name in a registry. */
  name: string;
  /** Comes after the version in the tag. */
  tagSuffix: string;
  /** The workspace whose program it runs; the load tests are none and run from their sources. */
  service: 'operator' | 'gateway' | 'worker' | 'console' | 'loadtest';
  /** Other programs in it. */
  alsoHolds: readonly string[];
  /** Whether it carries the demo models. */
  models: boolean;
  /** Whether it computes on NVIDIA GPUs. */
  cuda: boolean;
  description: string;
}

/** Every image that an installation uses, or somebody who tests it. */
export const IMAGES: readonly ServiceImage[] = [
  {
    name: 'svc-asr-operator',
    tagSuffix: '',
    service: 'operator',
    alsoHolds: [],
    models: false,
    cuda: false,
    description: 'Brings ASRModel, Tenant and ApiKey resources into force.',
  },
  {
    name: 'svc-asr-gateway',
    tagSuffix: '',
    service: 'gateway',
    alsoHolds: [],
    models: false,
    cuda: false,
    description: 'The HTTP API and the streams of svc-asr.',
  },
  {
    name: 'svc-asr-worker',
    tagSuffix: '',
    service: 'worker',
    alsoHolds: [],
    models: true,
    cuda: false,
    description: 'Recognizes speech on CPUs; carries the demo models.',
  },
  {
    name: 'svc-asr-worker',
    tagSuffix: '-cuda',
    service: 'worker',
    alsoHolds: [],
    models: true,
    cuda: true,
    description: 'Recognizes speech on NVIDIA GPUs; carries the demo models.',
  },
  {
    name: 'svc-asr-console',
    tagSuffix: '',
    service: 'console',
    // The command `svc-asr`, for tests of an installation and for jobs in it.
    alsoHolds: ['packages/client'],
    models: false,
    cuda: false,
    description: 'The console of svc-asr, and the svc-asr command.',
  },
  {
    name: 'svc-asr-loadtest',
    tagSuffix: '',
    service: 'loadtest',
    alsoHolds: [],
    models: false,
    cuda: false,
    description: 'Load tests of svc-asr, with k6 and recordings.',
  },
];

/** The name of an image by which people choose it: `svc-asr-worker-cuda`. */
export function titleOf({ name, tagSuffix }: Pick<ServiceImage, 'name' | 'tagSuffix'>): string {
  return `${name}${tagSuffix}`;
}

/** The workspaces that an image holds. */
export function workspacesOf({ service, alsoHolds }: Pick<ServiceImage, 'service' | 'alsoHolds'>): string[] {
  return service === 'loadtest' ? [] : [service, ...alsoHolds];
}

/** What starts in an image. */
export function entrypointOf({ service }: Pick<ServiceImage, 'service'>): string[] {
  return ['node', `/app/${service === 'loadtest' ? LOADTEST_TASK : `${service}/dist/main.js`}`];
}
