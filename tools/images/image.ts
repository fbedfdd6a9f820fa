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
  /** The file that it starts. */
  program: string;
  /** The workspaces in it, with all that they need. */
  workspaces: readonly string[];
  /** Whether it carries the demo models. */
  models: boolean;
  /** Whether it computes on NVIDIA GPUs. */
  cuda: boolean;
  /** Whether it carries the load tests: their sources, k6 and recordings. */
  loadtests: boolean;
  description: string;
}

/** Every image that an installation uses, or somebody who tests it. */
export const IMAGES: readonly ServiceImage[] = [
  {
    name: 'svc-asr-operator',
    tagSuffix: '',
    program: 'operator/dist/main.js',
    workspaces: ['operator'],
    models: false,
    cuda: false,
    loadtests: false,
    description: 'Brings ASRModel, Tenant and ApiKey resources into force.',
  },
  {
    name: 'svc-asr-gateway',
    tagSuffix: '',
    program: 'gateway/dist/main.js',
    workspaces: ['gateway'],
    models: false,
    cuda: false,
    loadtests: false,
    description: 'The HTTP API and the streams of svc-asr.',
  },
  {
    name: 'svc-asr-worker',
    tagSuffix: '',
    program: 'worker/dist/main.js',
    workspaces: ['worker'],
    models: true,
    cuda: false,
    loadtests: false,
    description: 'Recognizes speech on CPUs; carries the demo models.',
  },
  {
    name: 'svc-asr-worker',
    tagSuffix: '-cuda',
    program: 'worker/dist/main.js',
    workspaces: ['worker'],
    models: true,
    cuda: true,
    loadtests: false,
    description: 'Recognizes speech on NVIDIA GPUs; carries the demo models.',
  },
  {
    name: 'svc-asr-console',
    tagSuffix: '',
    program: 'console/dist/main.js',
    // With the command `svc-asr`, for tests of an installation and for jobs in it.
    workspaces: ['console', 'packages/cli'],
    models: false,
    cuda: false,
    loadtests: false,
    description: 'The console of svc-asr, and the svc-asr command.',
  },
  {
    name: 'svc-asr-loadtest',
    tagSuffix: '',
    program: LOADTEST_TASK,
    workspaces: [],
    models: false,
    cuda: false,
    loadtests: true,
    description: 'Load tests of svc-asr, with k6 and recordings.',
  },
];

/** The name of an image by which people choose it: `svc-asr-worker-cuda`. */
export function titleOf({ name, tagSuffix }: Pick<ServiceImage, 'name' | 'tagSuffix'>): string {
  return `${name}${tagSuffix}`;
}
