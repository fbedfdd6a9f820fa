import type { Ledger } from '@svc-asr/ledger';
import { KUBERNETES_TIMEOUT_MS } from '../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../test/support/kubernetes.ts';
import { grantRules, readChartRules, readClusterRules } from '../../test/support/kubernetes/grant.ts';
import type { Rule } from '../../test/support/kubernetes/grant.ts';
import { runPods } from '../../test/support/kubernetes/run-pods.ts';
import { startRedis } from '../../test/support/redis.ts';
import { clusterSettings } from './testing/cluster-operator.ts';
import { startCluster } from './testing/cluster-stage.ts';
import { eventually } from './testing/eventually.ts';
import { openLedger, startTestOperator } from './testing/harness.ts';
import { apiKey, model, tenant } from './testing/resources.ts';
import { writeTestCa } from './testing/worker-ca.ts';
import { USABLE_LABEL } from './workers/cluster/admission/usable-secrets.ts';

const WITHIN_MS = 90_000;
const NODE = 'rights-node';
/** Environment variable of a model. Its value comes from a labelled Secret. */
const variable = { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'token', key: 'token' } } };

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

/**
 * Runs an operator with these rights, from the creation of a Tenant, an ApiKey and an ASRModel to their deletion. In
 * between, a Secret is refused, a node is cordoned and the pool shrinks. Returns the requests that were forbidden, each
 * as verb and resource.
 */
async function live(rules: Rule[]): Promise<string[]> {
  const namespace = await kubernetes.createNamespace();
  const kubeconfig = await grantRules(kubernetes, namespace, 'operator', rules, readClusterRules());
  const kubectl = (args: string[], input?: string) => kubernetes.kubectl(['-n', namespace, ...args], input);
  const status = async (kind: string, name: string, path: string) =>
    kubectl(['get', kind, name, '-o', `jsonpath={${path}}`]);
  await ledger.link.send('', ['FLUSHALL']);
  const runner = await runPods(kubernetes.request, { namespace, nodes: [NODE] });
  const operator = await startTestOperator([], redis.url, {
    ...clusterSettings(kubeconfig, namespace, redis.url),
    ...(await writeTestCa()).settings,
    WORKER_NODE_NOTICES: 'true',
    LEASE_RETRY_MS: '200',
  });
  const refused = () => [
    ...new Set(
      operator.lines
        .map((line) => JSON.stringify(line))
        .flatMap((line) => /cannot (\w+) resource \\*"([\w/]+)/.exec(line)?.slice(1, 3).join(' ') ?? []),
    ),
  ];
  try {
    const resources = [
      tenant('acme', { state: 'Active' }),
      apiKey('8fK2pQ9xLm', 'acme'),
      model('m', { scaling: { min: 2, max: 2 }, worker: { env: [variable] } }),
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'token' }, stringData: { token: 'x' } },
    ];
    const applied = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: resources });
    await kubectl(['apply', '-f', '-'], applied);
    const worksOrFails = (check: () => Promise<void>) =>
      eventually(async () => {
        if (refused().length === 0) await check();
      }, WITHIN_MS);
    const refusal = '.status.conditions[?(@.reason=="SecretRefused")].type';
    await worksOrFails(async () => expect(await status('asrmodel', 'm', refusal)).toContain('Degraded'));
    await kubectl(['label', 'secret', 'token', `${USABLE_LABEL}=true`]);
    await worksOrFails(async () => {
      expect(await status('tenant', 'acme', '.status.conditions[?(@.type=="Ready")].status')).toBe('True');
      expect(await status('asrmodel', 'm', '.status.replicas')).toBe('2');
      expect(await kubectl(['get', 'deployments,pdb,networkpolicies,services,sa', '-o', 'name'])).toMatch(/deployment/);
      expect(await kubectl(['get', 'secrets', '-o', 'name'])).toContain('secret/m-workers');
    });
    await kubernetes.kubectl(['cordon', NODE]);
    await worksOrFails(async () => expect(await kubectl(['get', 'events'])).toContain('NodeLeaving'));
    await kubernetes.kubectl(['uncordon', NODE]);
    if (refused().length === 0) {
      await kubectl(['patch', 'asrmodel', 'm', '--type=merge', '-p', '{"spec":{"scaling":{"min":1,"max":1}}}']);
      await worksOrFails(async () => expect(await status('asrmodel', 'm', '.status.replicas')).toBe('1'));
      await kubectl(['delete', 'asrmodel/m', 'apikey/8fk2pq9xlm', 'tenant/acme', 'secret/token', '--wait=false']);
      await worksOrFails(async () =>
        expect(await kubectl(['get', 'asrmodels,tenants,apikeys,deployments,secrets', '-o', 'name'])).toBe(''),
      );
    }
    return refused();
  } finally {
    await operator.stop();
    await runner.stop();
  }
}

test(
  'the operator applies, scales and deletes resources with only the rights that the chart grants',
  async () => {
    expect(await live(readChartRules('operator'))).toEqual([]);
  },
  4 * WITHIN_MS,
);

test(
  'the operator logs a forbidden request when the role lacks the right to create Deployments',
  async () => {
    const fewer = readChartRules('operator').map((rule) =>
      rule.resources.includes('deployments')
        ? { ...rule, verbs: rule.verbs.filter((verb) => verb !== 'create') }
        : rule,
    );
    expect(await live(fewer)).toContainEqual(expect.stringMatching(/(create|patch) deployments/));
  },
  4 * WITHIN_MS,
);
