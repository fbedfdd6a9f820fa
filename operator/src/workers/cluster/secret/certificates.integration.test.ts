import { X509Certificate } from 'node:crypto';
import { KUBERNETES_TIMEOUT_MS } from '../../../../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../../../../test/support/kubernetes.ts';
import { createStage, startCluster } from '../../../testing/cluster-stage.ts';
import type { Stage } from '../../../testing/cluster-stage.ts';
import { eventually } from '../../../testing/eventually.ts';
import { model } from '../../../testing/resources.ts';
import { writeTestCa } from '../../../testing/worker-ca.ts';
import type { TestCa } from '../../../testing/worker-ca.ts';
import { LABELS } from '../names.ts';
import { readSecret } from './model-secret.ts';

const LONG_MS = 60_000;
let kubernetes: Kubernetes;
let ca: TestCa;
let stage: Stage;

beforeAll(async () => {
  kubernetes = await startCluster();
  ca = await writeTestCa();
  stage = await createStage(kubernetes, { env: ca.settings });
}, KUBERNETES_TIMEOUT_MS);
afterAll(async () => {
  await stage.close();
  await kubernetes.stop();
}, KUBERNETES_TIMEOUT_MS);

const secrets = () => stage.list('secrets', LABELS.model);
const workersOf = async (name: string) => {
  const found = await stage.list('pods', `${LABELS.model}=${name}`);
  expect(found).toHaveLength(1);
  return found.map(({ metadata }) => metadata.uid);
};
const certificateOf = async (name: string) => {
  const found = (await secrets()).find(({ metadata }) => metadata.labels?.[LABELS.model] === name);
  return new X509Certificate(readSecret(found)['tls.crt'] ?? '');
};

test('each model has a certificate of its own, which only its pods mount', async () => {
  for (const name of ['a', 'b']) await stage.apply(model(name, { scaling: { min: 1, max: 1 } }));
  await eventually(async () => {
    await workersOf('a');
    await workersOf('b');
  }, LONG_MS);
  expect((await secrets()).map(({ metadata }) => metadata.name)).toEqual(['a-workers', 'b-workers']);
  const certificate = await certificateOf('a');
  expect(certificate.checkHost('a.workers.svc-asr.internal')).toBeDefined();
  expect(certificate.checkHost('b.workers.svc-asr.internal')).toBeUndefined();
  for (const { metadata, spec } of await stage.list('pods')) {
    const { volumes } = spec as { volumes: { name: string; secret?: { secretName: string } }[] };
    const mounted = volumes.find(({ name }) => name === 'tls')?.secret?.secretName;
    expect(mounted).toBe(`${metadata.labels?.[LABELS.model] ?? ''}-workers`);
  }
});

test('a replaced CA leads to new certificates, and no pod is restarted for them', async () => {
  const before = [await workersOf('a'), await workersOf('b')];
  const cert = new X509Certificate(await ca.replace());
  await eventually(async () => {
    for (const name of ['a', 'b']) expect((await certificateOf(name)).verify(cert.publicKey)).toBe(true);
  }, LONG_MS);
  expect([await workersOf('a'), await workersOf('b')]).toEqual(before);
});

test('the operator recreates a deleted Secret of a model, unless the model was deleted', async () => {
  await stage.kubectl(['delete', 'secret', 'a-workers']);
  await eventually(async () => expect(await secrets()).toHaveLength(2), LONG_MS);
  await stage.kubectl(['delete', 'asrmodel', 'a', '--wait=false']);
  await eventually(async () => {
    expect((await secrets()).map(({ metadata }) => metadata.name)).toEqual(['b-workers']);
    expect(await stage.list('pods', `${LABELS.model}=a`)).toEqual([]);
  }, LONG_MS);
});
