import { KUBERNETES_TIMEOUT_MS } from '../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../test/support/kubernetes.ts';
import { endAfterFile } from '../../test/support/leftovers.ts';
import { startRedis } from '../../test/support/redis.ts';
import { clusterSettings, spawnOperator } from './testing/cluster-operator.ts';
import type { OperatorProcess } from './testing/cluster-operator.ts';
import { eventually } from './testing/eventually.ts';
import { startFaultProxy } from './testing/fault-proxy.ts';
import type { FaultProxy, ProxyRequest } from './testing/fault-proxy.ts';
import { openLedger } from './testing/harness.ts';
import { tenant } from './testing/resources.ts';
import { startTestCluster } from './testing/test-cluster.ts';

const TEST_MS = 240_000;
const LEASE_SECONDS = 8;
/** Time allowed in addition to the lease, because the processes share the machine with other tests. */
const SLACK_MS = 20_000;

let kubernetes: Kubernetes;

beforeAll(async () => {
  kubernetes = await startTestCluster();
}, KUBERNETES_TIMEOUT_MS);
afterAll(() => kubernetes.stop(), KUBERNETES_TIMEOUT_MS);

interface Running {
  process: OperatorProcess;
  /** Records the requests of the operator. */
  proxy: FaultProxy;
}

/** Creates a namespace and a Redis for the operators of one test. */
async function openScene() {
  const redis = await startRedis();
  const { ledger } = openLedger(redis.url);
  await eventually(() => ledger.catalogue.read());
  const namespace = await kubernetes.createNamespace();
  return {
    ledger,
    /** Starts an operator behind its own proxy to the API server. */
    start: async (): Promise<Running> => {
      const proxy = await startFaultProxy(kubernetes.kubeconfig, namespace);
      const times = { LEASE_SECONDS: String(LEASE_SECONDS), LEASE_RENEW_MS: '5500', LEASE_RETRY_MS: '500' };
      const process = spawnOperator({ ...clusterSettings(proxy.kubeconfig, namespace, redis.url), ...times });
      endAfterFile(proxy.stop);
      const operator = { process, proxy };
      await eventually(() => expect(logged(operator, 'operator started')).toBe(true), 60_000);
      return operator;
    },
    apply: (state: string) => {
      const acme = tenant('acme', { state, grants: [{ id: 'welcome', audioSeconds: 60 }] });
      return kubernetes.kubectl(['-n', namespace, 'apply', '-f', '-'], JSON.stringify(acme));
    },
    hasState: (state: string) =>
      eventually(async () => expect((await ledger.accounts.read('acme'))?.state).toBe(state), 60_000),
  };
}

const logged = ({ process }: Running, text: string) => process.lines.some(({ message }) => message.includes(text));
const leads = (operator: Running) => logged(operator, 'started to reconcile resources');
const isWrite = ({ method, path }: ProxyRequest) => method !== 'GET' && !path.includes('/leases');
const takesOver = (operator: Running) =>
  eventually(() => expect(leads(operator)).toBe(true), LEASE_SECONDS * 1000 + SLACK_MS);

test.concurrent(
  'when the leader is killed, the standby becomes the leader and applies no grant twice',
  async () => {
    const { start, apply, hasState, ledger } = await openScene();
    const first = await start();
    await eventually(() => expect(leads(first)).toBe(true), 60_000);
    const second = await start();
    await apply('Active');
    await hasState('Active');
    expect([leads(first), leads(second)]).toEqual([true, false]);
    expect(second.proxy.requests.filter(isWrite)).toEqual([]);

    first.process.kill('SIGKILL');
    await apply('Suspended');
    await takesOver(second);
    await hasState('Suspended');
    // The first operator may have been killed before it granted anything.
    const granted = async () => (await ledger.journal.read('acme', {})).filter(({ type }) => type === 'grant');
    await eventually(async () => expect(await granted()).toHaveLength(1), 60_000);
  },
  TEST_MS,
);

test.concurrent(
  'a leader that was suspended for longer than its lease writes nothing after it resumes, and exits with 1 to be restarted',
  async () => {
    const { start, apply, hasState, ledger } = await openScene();
    const first = await start();
    await eventually(() => expect(leads(first)).toBe(true), 60_000);
    const second = await start();
    await apply('Active');
    await hasState('Active');

    first.process.kill('SIGSTOP');
    await takesOver(second);
    await apply('Suspended');
    await hasState('Suspended');
    first.proxy.requests.length = 0;
    first.process.kill('SIGCONT');
    expect(await first.process.ended).toBe(1);
    expect(first.proxy.requests.filter(isWrite)).toEqual([]);
    expect(logged(first, 'no longer leads')).toBe(true);
    expect((await ledger.accounts.read('acme'))?.state).toBe('Suspended');
  },
  TEST_MS,
);

test.concurrent(
  'a leader that receives SIGTERM exits with 0, and the standby takes over',
  async () => {
    const { start, apply, hasState } = await openScene();
    const first = await start();
    await eventually(() => expect(leads(first)).toBe(true), 60_000);
    const second = await start();
    first.process.kill('SIGTERM');
    expect(await first.process.ended).toBe(0);
    await takesOver(second);
    await apply('Active');
    await hasState('Active');
  },
  TEST_MS,
);
