import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../test/support/eventually.ts';
import { KUBERNETES_TIMEOUT_MS, borrowKubernetes } from '../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../test/support/kubernetes.ts';
import { grantRules, readChartRules } from '../../test/support/kubernetes/grant.ts';
import { startRedis } from '../../test/support/redis.ts';
import { runCommand } from './testing/command.ts';
import { startTestConsole, TOKEN, untilReady } from './testing/console.ts';
import type { TestConsole } from './testing/console.ts';
import { startOperatorProcess } from './testing/operator-process.ts';
import type { OperatorProcess } from './testing/operator-process.ts';

const WITHIN_MS = 90_000;
const HOUR_MS = 3_600_000;

let kubernetes: Kubernetes;
let redis: Awaited<ReturnType<typeof startRedis>>;
let namespace: string;
let console_: TestConsole;
let operator: OperatorProcess;
let home: string;

beforeAll(async () => {
  kubernetes = await borrowKubernetes();
  redis = await startRedis();
  namespace = await kubernetes.createNamespace();
  const kubeconfig = (service: 'operator' | 'console') =>
    grantRules(kubernetes, namespace, service, readChartRules(service));
  operator = startOperatorProcess({
    KUBERNETES: await kubeconfig('operator'),
    NAMESPACE: namespace,
    REDIS_URL: redis.url,
    WORKER_IMAGE: 'example.invalid/worker:1',
    LEDGER_INTERVAL_MS: '200',
    STATUS_BALANCE_INTERVAL_MS: '200',
    LEASE_SECONDS: '6',
    LEASE_RENEW_MS: '4000',
    LEASE_RETRY_MS: '200',
    RETRY_MAX_MS: '500',
  });
  console_ = await startTestConsole(redis.url, {
    KUBERNETES: await kubeconfig('console'),
    NAMESPACE: namespace,
    KEY_ACTIVATION_TIMEOUT_MS: '60000',
  });
  await untilReady(console_);
  home = mkdtempSync(join(tmpdir(), 'command-'));
  writeFileSync(join(home, 'local.json'), JSON.stringify({ admin_url: console_.adminUrl, admin_token: TOKEN }));
}, KUBERNETES_TIMEOUT_MS);
afterAll(async () => {
  await operator.stop();
  await console_.stop();
  await redis.stop();
  await kubernetes.stop();
  rmSync(home, { recursive: true });
}, KUBERNETES_TIMEOUT_MS);

const admin = (...line: string[]) => runCommand(['admin', ...line], { SVC_ASR_HOME: home });
const field = (path: string) => kubernetes.kubectl(['-n', namespace, 'get', 'tenant/acme', '-o', `jsonpath={${path}}`]);
const ledgerMissing = () => field('.status.conditions[?(@.type=="LedgerMissing")].status');

test(
  'svc-asr admin manages tenants and keys in a cluster and rebuilds the ledger of an emptied Redis',
  async () => {
    const options = ['--display-name', 'Acme', '--grant-seconds', '3600'];
    expect(await admin('tenants', 'create', 'acme', ...options)).toEqual({
      status: 0,
      out: 'Created the tenant acme.\n',
      err: '',
    });
    const created = await admin('keys', 'create', '--tenant', 'acme');
    expect(created).toMatchObject({ status: 0, err: expect.not.stringContaining('not active') });
    expect((await admin('tenants', 'show', 'acme')).out).toMatch(/available +1h 0m 0s/);

    // The consumed audio must reach the Tenant's status, which a rebuild reads.
    await console_.ledger.accounts.restore('acme', 'used', HOUR_MS / 4);
    await eventually(
      'the consumption is in the status',
      WITHIN_MS,
      async () => (await field('.status.credits.consumed')) === '15m',
    );
    await console_.ledger.link.send('', ['FLUSHALL']);
    await eventually('the Tenant reports LedgerMissing', WITHIN_MS, async () => (await ledgerMissing()) === 'True');

    const plan = await eventually('the plan lists the tenant', WITHIN_MS, async () => {
      const answer = await admin('ledger', 'rebuild');
      return answer.out.includes('acme') && answer;
    });
    expect(plan.out).toMatch(/acme +1h 0m 0s +15m 0s/);
    expect((await admin('ledger', 'rebuild', '--yes')).status).toBe(0);
    await eventually('the ledger is rebuilt', WITHIN_MS, async () =>
      (await admin('ledger', 'status')).out.includes('contains the ledger'),
    );
    await eventually('the account is restored', WITHIN_MS, async () =>
      (await admin('tenants', 'show', 'acme')).out.includes('45m 0s'),
    );
    await eventually(
      'the Tenant no longer reports LedgerMissing',
      WITHIN_MS,
      async () => (await ledgerMissing()) === 'False',
    );
    expect(await admin('keys', 'list')).toMatchObject({ status: 0, out: expect.stringContaining('acme') });
    expect((await admin('tenants', 'delete', 'acme')).out).toBe('Deleted the tenant acme and 1 key.\n');
    await eventually('the tenant is deleted', WITHIN_MS, async () => {
      return (await kubernetes.kubectl(['-n', namespace, 'get', 'tenants,apikeys', '-o', 'name'])) === '';
    });
  },
  6 * WITHIN_MS,
);
