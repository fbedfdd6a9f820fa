import type { Ledger } from '@svc-asr/ledger';
import { KUBERNETES_TIMEOUT_MS } from '../../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../../test/support/kubernetes.ts';
import { grantRules, readChartRules } from '../../../test/support/kubernetes/grant.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { clusterSettings } from '../testing/cluster-operator.ts';
import { startCluster } from '../testing/cluster-stage.ts';
import { eventually } from '../testing/eventually.ts';
import { openLedger, startTestOperator } from '../testing/harness.ts';
import { apiKey, tenant } from '../testing/resources.ts';

const WITHIN_MS = 90_000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

let kubernetes: Kubernetes;
let redis: Awaited<ReturnType<typeof startRedis>>;
let ledger: Ledger;
let closeLedger: () => Promise<void>;

beforeAll(async () => {
  kubernetes = await startCluster();
  redis = await startRedis();
  ({ ledger, close: closeLedger } = openLedger(redis.url));
}, KUBERNETES_TIMEOUT_MS);
afterAll(async () => {
  await closeLedger();
  await redis.stop();
  await kubernetes.stop();
}, KUBERNETES_TIMEOUT_MS);

test(
  'the operator deletes an expired ApiKey and its record when the retention time after the expiry has passed, not earlier',
  async () => {
    const namespace = await kubernetes.createNamespace();
    const kubeconfig = await grantRules(kubernetes, namespace, 'operator', readChartRules('operator'));
    const kubectl = (args: string[], input?: string) => kubernetes.kubectl(['-n', namespace, ...args], input);
    const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
    const items = [
      tenant('acme', { state: 'Active' }),
      apiKey('0000000old', 'acme', { expiresAt: ago(DAY_MS + MINUTE_MS) }),
      apiKey('000recent0', 'acme', { expiresAt: ago(DAY_MS - 60 * MINUTE_MS) }),
      apiKey('000forever', 'acme'),
    ];
    await kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const operator = await startTestOperator([], redis.url, {
      ...clusterSettings(kubeconfig, namespace, redis.url),
      KEY_RETENTION_DAYS: '1',
    });
    try {
      await eventually(async () => {
        expect(await kubectl(['get', 'apikeys', '-o', 'name'])).toBe(
          'apikey.asr.svc.dev/000forever\napikey.asr.svc.dev/000recent0\n',
        );
        expect(await ledger.apiKeys.find('000recent0')).toMatchObject({ revoked: false });
        expect(await ledger.apiKeys.find('0000000old')).toBeUndefined();
      }, WITHIN_MS);
    } finally {
      await operator.stop();
    }
  },
  2 * WITHIN_MS,
);
