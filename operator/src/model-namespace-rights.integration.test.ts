import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KUBERNETES_TIMEOUT_MS } from '../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../test/support/kubernetes.ts';
import {
  bindRules,
  grantRules,
  readChartRules,
  readFinalizerRules,
  readModelRules,
} from '../../test/support/kubernetes/grant.ts';
import { runPods } from '../../test/support/kubernetes/run-pods.ts';
import type { PodRunner } from '../../test/support/kubernetes/run-pods.ts';
import { startRedis } from '../../test/support/redis.ts';
import type { TestRedis } from '../../test/support/redis.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { clusterSettings } from './testing/cluster-operator.ts';
import { startCluster } from './testing/cluster-stage.ts';
import { eventually } from './testing/eventually.ts';
import { startTestOperator } from './testing/harness.ts';
import type { TestOperator } from './testing/harness.ts';
import { model } from './testing/resources.ts';
import { writeTestCa } from './testing/worker-ca.ts';

const WITHIN_MS = 90_000;
const TEST_MS = 4 * WITHIN_MS;
let kubernetes: Kubernetes;
let redis: TestRedis;
/** `platform` is the namespace of the installation, `team` has the models of a team, and `other` belongs to neither. */
let platform: string;
let team: string;
let other: string;
let operatorConfig: string;
let settings: NodeJS.ProcessEnv;
let operator: TestOperator | undefined;
const runners: PodRunner[] = [];

beforeAll(async () => {
  kubernetes = await startCluster();
  redis = await startRedis();
  [platform, team, other] = [
    await kubernetes.createNamespace(),
    await kubernetes.createNamespace(),
    await kubernetes.createNamespace(),
  ];
  operatorConfig = await grantRules(kubernetes, platform, 'operator', readChartRules('operator'), readFinalizerRules());
  await bindRules(kubernetes, { namespace: platform, name: 'operator' }, readModelRules(), team);
  const keys = join(temporaryFolder('ticket-keys'), 'keys.pem');
  writeFileSync(keys, 'public keys');
  settings = {
    ...clusterSettings(operatorConfig, platform, redis.url),
    ...(await writeTestCa()).settings,
    MODEL_NAMESPACES: team,
    MODEL_NAMESPACE_TIMEOUT_MS: '2000',
    WORKER_TICKET_PUBLIC_KEYS_FILE: keys,
    LEASE_RETRY_MS: '200',
  };
  for (const namespace of [platform, team]) runners.push(await runPods(kubernetes.request, { namespace }));
  for (const namespace of [platform, other]) await createSecret(namespace, 'private');
  operator = await startTestOperator([], redis.url, settings);
}, KUBERNETES_TIMEOUT_MS);
afterAll(async () => {
  await operator?.stop();
  for (const runner of runners) await runner.stop();
  await redis.stop();
  await kubernetes.stop();
}, KUBERNETES_TIMEOUT_MS);

const createSecret = (namespace: string, name: string) =>
  kubernetes.kubectl(['-n', namespace, 'create', 'secret', 'generic', name, '--from-literal=value=x']);
const inTeam = (args: string[], input?: object) =>
  kubernetes.kubectl(['-n', team, ...args], input && JSON.stringify(input));
/** Lists the Secrets of a namespace as the user of a kubeconfig. Returns their names, or the error. */
const secretsWith = (kubeconfig: string, namespace: string) =>
  kubernetes
    .kubectl(['--kubeconfig', kubeconfig, '-n', namespace, 'get', 'secrets', '-o', 'name'])
    .catch((error: unknown) => String(error));
const replicasOf = (name: string) => inTeam(['get', 'asrmodel', name, '-o', 'jsonpath={.status.replicas}']);

test(
  'the operator runs a model in a further namespace with the Role of the chart, without a forbidden request',
  async () => {
    await inTeam(['apply', '-f', '-'], model('m', { scaling: { min: 1, max: 1 } }));
    await eventually(async () => expect(await replicasOf('m')).toBe('1'), WITHIN_MS);
    await inTeam(['delete', 'asrmodel', 'm', '--wait=false']);
    await eventually(async () => {
      expect(await inTeam(['get', 'asrmodels,deployments,secrets', '-o', 'name'])).toBe('');
    }, WITHIN_MS);
    const refused = (operator?.lines ?? []).filter((line) => JSON.stringify(line).includes('cannot '));
    expect(refused).toEqual([]);
  },
  TEST_MS,
);

test('the operator cannot read Secrets outside of the namespaces of the installation and its models', async () => {
  expect(await secretsWith(operatorConfig, other)).toContain('Forbidden');
  expect(await secretsWith(operatorConfig, platform)).toContain('secret/private');
  expect(
    await kubernetes.kubectl(['auth', 'can-i', 'list', 'secrets', '-A', '--kubeconfig', operatorConfig]).catch(String),
  ).toMatch(/no/);
});

test(
  'a team with the role edit in the namespace of its models can read the Secret of a model, but no Secret of the platform',
  async () => {
    await inTeam(['apply', '-f', '-'], model('own', { scaling: { min: 1, max: 1 } }));
    await eventually(async () => expect(await replicasOf('own')).toBe('1'), WITHIN_MS);
    const teamConfig = await kubernetes.kubeconfigFor(team, 'member');
    await inTeam(['create', 'rolebinding', 'member', '--clusterrole=edit', `--serviceaccount=${team}:member`]);
    await eventually(
      async () => expect(await secretsWith(teamConfig, team)).toContain('secret/own-workers'),
      WITHIN_MS,
    );
    expect(await secretsWith(teamConfig, platform)).toContain('Forbidden');
    // Names of the values in the model's Secret. The Secret contains neither the private key of the CA nor the private
    // key that signs tickets.
    const keys = await inTeam([
      'get',
      'secret',
      'own-workers',
      '-o',
      'go-template={{range $k, $v := .data}}{{$k}} {{end}}',
    ]);
    expect(keys).toBe('keys.pem tls.crt tls.key url ');
  },
  TEST_MS,
);

test(
  'the deletion of a model namespace completes, although Kubernetes also deletes the Role of the operator in this namespace',
  async () => {
    await eventually(async () => expect(await replicasOf('own')).toBe('1'), WITHIN_MS);
    await kubernetes.kubectl(['delete', 'namespace', team, '--wait=false']);
    await eventually(async () => {
      expect(await kubernetes.kubectl(['get', 'namespaces', '-o', 'name'])).not.toContain(`namespace/${team}\n`);
    }, WITHIN_MS);
  },
  TEST_MS,
);

test(
  'if a namespace of MODEL_NAMESPACES does not exist, the operator serves the models of the other namespaces',
  async () => {
    await operator?.stop();
    operator = await startTestOperator([], redis.url, settings);
    const here = (args: string[], input?: object) =>
      kubernetes.kubectl(['-n', platform, ...args], input && JSON.stringify(input));
    await here(['apply', '-f', '-'], model('here', { scaling: { min: 1, max: 1 } }));
    await eventually(async () => {
      expect(await here(['get', 'asrmodel', 'here', '-o', 'jsonpath={.status.replicas}'])).toBe('1');
      expect((await operator?.get('/readyz'))?.status).toBe(200);
    }, WITHIN_MS);
  },
  TEST_MS,
);
