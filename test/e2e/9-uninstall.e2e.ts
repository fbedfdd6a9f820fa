import { RELEASE } from './release.ts';
import { NAMESPACE, openStage, SOON_MS } from './stage.ts';
import type { Stage } from './stage.ts';
import { eventually } from '../support/eventually.ts';

/** Those that the chart generates. */
const SECRETS = [
  ...['admin-token', 'api-key-peppers', 'gateway-tls', 'redis-acl', 'redis-console', 'redis-gateway'],
  ...['redis-operator', 'redis-passwords', 'redis-worker', 'session-secrets', 'worker-ca', 'worker-tickets'],
  'worker-tls',
].map((name) => `secret/${RELEASE}-${name}`);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

test('resources are deleted, and their children with them', async () => {
  await stage.kubectl(['delete', 'asrmodels,tenants', '--all', '--timeout=180s']);
  await eventually('no worker is left', SOON_MS, async () => {
    return (await stage.kubectl(['get', 'pods', '-l', 'asr.svc.dev/model', '-o', 'name'])) === '' && true;
  });
});

test('helm uninstall leaves what the docs name and nothing else', async () => {
  await stage.cluster.helm(['uninstall', RELEASE, '-n', NAMESPACE, '--wait', '--timeout', '4m'], {
    timeoutMs: 260_000,
  });
  const kinds =
    'deployments,statefulsets,services,secrets,roles,rolebindings,networkpolicies,poddisruptionbudgets,pvc,jobs';
  const left = (await stage.kubectl(['get', kinds, '-o', 'name'])).trim().split('\n').sort();
  expect(left).toEqual([`persistentvolumeclaim/data-${RELEASE}-redis-0`, ...SECRETS]);
  expect(await stage.cluster.kubectl(['get', 'crds', '-o', 'name'])).toContain('asrmodels.asr.svc.dev');
}, 300_000);
