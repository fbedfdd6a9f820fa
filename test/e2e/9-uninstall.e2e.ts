import { eventually } from '../support/eventually.ts';
import { NAMESPACE, openHarness, SOON_MS } from './harness.ts';
import type { Harness } from './harness.ts';
import { MODEL_NAMESPACE, RELEASE } from './release.ts';

/** Secrets that the chart generates. */
const SECRETS = [
  ...['admin-api-tls', 'admin-token', 'api-key-peppers', 'gateway-internal-tls', 'gateway-tls', 'redis-acl'],
  ...['redis-console', 'redis-gateway'],
  ...['redis-operator', 'redis-passwords', 'session-secrets', 'worker-ca', 'worker-ticket-key'],
  'worker-ticket-public-keys',
].map((name) => `secret/${RELEASE}-${name}`);

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});

test('deleting models and tenants ends all workers', async () => {
  await harness.kubectl(['delete', 'asrmodels,tenants', '--all', '--timeout=180s'], { timeoutMs: 190_000 });
  await eventually('no worker is left', SOON_MS, async () => {
    return (await harness.kubectl(['get', 'pods', '-l', 'asr.svc.dev/model', '-o', 'name'])) === '';
  });
});

test('the deletion of a namespace with a model completes, although the model was not deleted before', async () => {
  await harness.tools.kubectl(['delete', 'namespace', MODEL_NAMESPACE, '--timeout=180s'], { timeoutMs: 190_000 });
}, 200_000);

test('helm uninstall keeps only the CRDs, the generated Secrets and the volume of Redis', async () => {
  await harness.tools.helm(['uninstall', RELEASE, '-n', NAMESPACE, '--wait', '--timeout', '4m'], {
    timeoutMs: 260_000,
  });
  const kinds =
    'deployments,statefulsets,services,secrets,roles,rolebindings,networkpolicies,poddisruptionbudgets,pvc,jobs';
  const left = (await harness.kubectl(['get', kinds, '-o', 'name'])).trim().split('\n').sort();
  expect(left).toEqual([`persistentvolumeclaim/data-${RELEASE}-redis-0`, ...SECRETS]);
  expect(await harness.tools.kubectl(['get', 'crds', '-o', 'name'])).toContain('asrmodels.asr.svc.dev');
}, 300_000);
