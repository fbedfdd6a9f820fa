import { eventually } from '../support/eventually.ts';
import { CHART, NAMESPACE, SOON_MS, until } from './harness.ts';
import type { Harness } from './harness.ts';
import { KIKUYU } from './live-streams.ts';
import { ADMIN_API_FROM, MODEL_NAMESPACE, RELEASE } from './release.ts';

/** A version of the service that the tests install. */
export interface Version {
  /** Name of the version in test names. */
  name: string;
  chart: string;
  tag: string;
}

const { E2E_TAG = '', E2E_PREVIOUS_CHART = '', E2E_PREVIOUS_TAG = '' } = process.env;

const PRESENT: Version = { name: 'this commit', chart: CHART, tag: E2E_TAG };

/** Version to upgrade from: the previous commit, or this commit if there is none. */
export const PREVIOUS: Version =
  E2E_PREVIOUS_TAG === '' ? PRESENT : { name: 'the commit before', chart: E2E_PREVIOUS_CHART, tag: E2E_PREVIOUS_TAG };

/**
 * Annotations that make an upgrade replace the pods of all components except Redis, even if the version stays the same.
 */
const ANNOTATIONS = ['gateway', 'operator', 'console'].map((part) => `--set=${part}.podAnnotations.e2e=upgraded`);
/**
 * Values that open the admin API to the access pod. The chart of the previous commit might not have had these values.
 */
const ADMIN_API = [
  '--set-json=console.adminApi={"enabled":true}',
  `--set-json=networkPolicy.adminApiFrom=${JSON.stringify(ADMIN_API_FROM)}`,
];
/**
 * Resets the repository of the Redis image. If image.registry did not apply to Redis in the previous chart, the
 * installation has a repository that contains the registry. This chart would then add the registry a second time.
 */
const REDIS_IMAGE = '--set=redis.image.repository=redis';
/** Value that allows models in a further namespace. The chart of the previous commit might not have had this value. */
const MODEL_NAMESPACES = `--set=modelNamespaces={${MODEL_NAMESPACE}}`;
const COMMON_ARGS = ['--namespace', NAMESPACE, '--wait', '--timeout', '4m'];
const OPTIONS = { timeoutMs: 260_000 };
const IMAGES = ['-o', 'jsonpath={.items[*]..containers[*].image}'] as const;

/** Upgrades the installation to this commit; resolves when all components and workers run this commit. */
export async function upgrade(harness: Harness): Promise<void> {
  const tag = `--set=image.tag=${PRESENT.tag}`;
  const values = ['--reset-then-reuse-values', tag, REDIS_IMAGE, MODEL_NAMESPACES, ...ADMIN_API, ...ANNOTATIONS];
  await harness.tools.helm(['upgrade', RELEASE, PRESENT.chart, ...values, ...COMMON_ARGS], OPTIONS);
  expect(await readAnnotation(harness)).toBe('upgraded');
  await untilAllAre(harness, PRESENT);
}

/** Rolls back to the first revision of the release. */
export async function rollBack(harness: Harness): Promise<void> {
  await harness.tools.helm(['rollback', RELEASE, '1', ...COMMON_ARGS], OPTIONS);
  expect(await readAnnotation(harness)).toBe('');
  await untilAllAre(harness, PREVIOUS);
}

const readAnnotation = (harness: Harness) =>
  harness.read('deployment/svc-asr-gateway', '.spec.template.metadata.annotations.e2e');

/**
 * Checks that all components have the tag of a version, and waits for the workers. Workers get the tag later, because
 * the operator of that version replaces them.
 */
async function untilAllAre(harness: Harness, { tag }: Version): Promise<void> {
  const selector = `app.kubernetes.io/instance=${RELEASE}`;
  const deployed = await harness.kubectl(['get', 'deployments', '-l', selector, ...IMAGES]);
  for (const image of deployed.split(' ')) expect(image.split(':').at(-1)).toBe(tag);
  await eventually(`every worker has the tag ${tag}`, SOON_MS, async () => {
    const images = await harness.kubectl(['get', 'pods', '-l', `asr.svc.dev/model=${KIKUYU}`, ...IMAGES]);
    return images !== '' && images.split(' ').every((image) => image.endsWith(`:${tag}`));
  });
  await until(harness, `asrmodel/${KIKUYU}`, '.status.readyReplicas', /^[1-9]/);
}
