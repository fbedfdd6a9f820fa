import { KUBERNETES_TIMEOUT_MS } from '../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../test/support/kubernetes.ts';
import { startRedis } from '../../test/support/redis.ts';
import type { TestRedis } from '../../test/support/redis.ts';
import { clusterSettings } from './testing/cluster-operator.ts';
import { eventually } from './testing/eventually.ts';
import { openLedger, startTestOperator } from './testing/harness.ts';
import { tenant } from './testing/resources.ts';
import { startTestCluster } from './testing/test-cluster.ts';

const TEST_MS = 300_000;
const WITHIN_MS = 60_000;

let kubernetes: Kubernetes;
let redis: TestRedis;
let namespace: string;

beforeAll(async () => {
  kubernetes = await startTestCluster();
  redis = await startRedis();
  namespace = await kubernetes.createNamespace();
}, KUBERNETES_TIMEOUT_MS);
afterAll(async () => {
  await redis.stop();
  await kubernetes.stop();
}, KUBERNETES_TIMEOUT_MS);

const kubectl = (args: string[], input?: object) =>
  kubernetes.kubectl(['-n', namespace, ...args], input && JSON.stringify(input));
const start = () =>
  startTestOperator([], redis.url, {
    ...clusterSettings(kubernetes.kubeconfig, namespace, redis.url),
    LEDGER_INTERVAL_MS: '200',
    LEASE_RETRY_MS: '200',
  });
const within = (check: () => Promise<void>) => eventually(check, WITHIN_MS);
/** Returns the conditions of a Tenant as type=status/reason. */
const reasons = async (name: string) => {
  const rows = '{range .status.conditions[*]}{.type}={.status}/{.reason} {end}';
  return (await kubectl(['get', 'tenant', name, '-o', `jsonpath=${rows}`])).trim().split(' ');
};

test(
  'while the ledger is missing, Tenants report LedgerMissing, and a deleted Tenant reports DeletionWaits and exists until a rebuild',
  async () => {
    const { ledger, close } = openLedger(redis.url);
    let operator = await start();
    try {
      await kubectl(['apply', '-f', '-'], tenant('acme', { state: 'Active' }));
      await within(async () => expect(await reasons('acme')).toContain('Ready=True/Applied'));
      const ledgerId = (await ledger.identity.read()) ?? '';
      await ledger.link.send('', ['FLUSHALL']);
      await kubectl(['delete', 'tenant/acme', '--wait=false']);
      const held = ['Ready=False/DeletionWaits', 'LedgerMissing=True/LedgerMissing'];
      await within(async () => expect(await reasons('acme')).toEqual(expect.arrayContaining(held)));
      await within(async () => {
        const events = await kubectl(['get', 'events', '--field-selector=involvedObject.name=acme', '-o', 'json']);
        expect(JSON.parse(events).items).toContainEqual(
          expect.objectContaining({ type: 'Warning', reason: 'DeletionWaits' }),
        );
      });

      // The list of applied resources was lost with the ledger. An operator that starts now can find out only from the
      // Tenants what was applied.
      await operator.stop();
      await kubectl(['apply', '-f', '-'], tenant('other', { state: 'Active' }));
      operator = await start();
      const waiting = ['Ready=False/Unavailable', 'LedgerMissing=True/LedgerMissing'];
      await within(async () => expect(await reasons('other')).toEqual(expect.arrayContaining(waiting)));
      expect(await ledger.accounts.read('other')).toBeUndefined();

      await ledger.identity.requestRebuild(ledgerId);
      await within(async () => expect(await kubectl(['get', 'tenants', '-o', 'name'])).not.toContain('acme'));
      await within(async () => expect(await reasons('other')).toContain('Ready=True/Applied'));
      expect(await ledger.accounts.read('other')).toMatchObject({ state: 'Active' });
    } finally {
      await operator.stop();
      await close();
    }
  },
  TEST_MS,
);
