import { eventually } from '../support/eventually.ts';
import { KIKUYU } from './live.ts';
import { RELEASE } from './release.ts';
import { CHART, NAMESPACE, SOON_MS, until } from './stage.ts';
import type { Stage } from './stage.ts';

/** A version of the service, as it is installed. */
export interface Version {
  /** For those who read what a test showed. */
  name: string;
  chart: string;
  tag: string;
}

const { E2E_TAG = '', E2E_PREVIOUS_CHART = '', E2E_PREVIOUS_TAG = '' } = process.env;

export const PRESENT: Version = { name: 'this commit', chart: CHART, tag: E2E_TAG };

/** What is upgraded from: the commit before, or this one where there is no other. */
export const PREVIOUS: Version =
  E2E_PREVIOUS_TAG === '' ? PRESENT : { name: 'the commit before', chart: E2E_PREVIOUS_CHART, tag: E2E_PREVIOUS_TAG };

/** Everything but Redis gets new pods, even where an upgrade leads to the same version. */
const MARKS = ['gateway', 'operator', 'console'].map((part) => `--set=${part}.podAnnotations.e2e=upgraded`);
const FOR = ['--namespace', NAMESPACE, '--wait', '--timeout', '4m'];
const WITHIN = { timeoutMs: 260_000 };

/** Upgrades the installation to the present version; resolves when every part and every worker is of it. */
export async function upgrade(stage: Stage): Promise<void> {
  const values = ['--reset-then-reuse-values', `--set=image.tag=${PRESENT.tag}`, ...MARKS];
  await stage.cluster.helm(['upgrade', RELEASE, PRESENT.chart, ...values, ...FOR], WITHIN);
  expect(await readMark(stage)).toBe('upgraded');
  await untilAllAre(stage, PRESENT);
}

/** Goes back to what was installed first. */
export async function rollBack(stage: Stage): Promise<void> {
  await stage.cluster.helm(['rollback', RELEASE, '1', ...FOR], WITHIN);
  expect(await readMark(stage)).toBe('');
  await untilAllAre(stage, PREVIOUS);
}

const readMark = (stage: Stage) => stage.read('deployment/svc-asr-gateway', '.spec.template.metadata.annotations.e2e');

/** The operator gives a model other workers only after it has become another one itself. */
async function untilAllAre(stage: Stage, { tag }: Version): Promise<void> {
  const deployed = await stage.kubectl([
    'get',
    'deployments',
    '-l',
    `app.kubernetes.io/instance=${RELEASE}`,
    ...IMAGES,
  ]);
  for (const image of deployed.split(' ')) expect(image.split(':').at(-1)).toBe(tag);
  await eventually(`every worker is of ${tag}`, SOON_MS, async () => {
    const images = await stage.kubectl(['get', 'pods', '-l', `asr.svc.dev/model=${KIKUYU}`, ...IMAGES]);
    return images !== '' && images.split(' ').every((image) => image.endsWith(`:${tag}`));
  });
  await until(stage, `asrmodel/${KIKUYU}`, '.status.readyReplicas', /^[1-9]/);
}

const IMAGES = ['-o', 'jsonpath={.items[*]..containers[*].image}'] as const;
