import { join } from 'node:path';
import { parseTicketKey, parseTicketPublicKeys } from '@svc-asr/runtime';
import { eventually } from '../../test/support/eventually.ts';
import { KUBERNETES_TIMEOUT_MS, startKubernetes } from '../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../test/support/kubernetes.ts';
import { demand } from '../../test/support/kubernetes/request.ts';
import { root } from '../launch/terminal.mjs';
import { CHART_FOLDER } from './place.ts';
import { createDryRun } from './testing/dry-run.ts';
import { helm } from './testing/helm.ts';
import { createConform } from './testing/conform.ts';
import type { Conform } from './testing/conform.ts';
import { FOREIGN_DEFINITIONS, FOREIGN_KINDS } from './testing/foreign-definitions.ts';
import { OPTIONS } from './testing/options.ts';
import { pairwise } from './testing/pairwise.ts';
import { parseObjects, podsOf, RELEASE, render, renderText } from './testing/render.ts';
import type { ChartObject } from './testing/render.ts';

const SLOW_MS = 600_000;

let kubernetes: Kubernetes;

beforeAll(async () => {
  kubernetes = await startKubernetes();
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: FOREIGN_DEFINITIONS });
  await kubernetes.kubectl(['apply', '-f', '-'], input);
}, KUBERNETES_TIMEOUT_MS);
afterAll(() => kubernetes.stop());

const release = (command: string, namespace: string, ...args: string[]) => {
  const fixed = ['--kubeconfig', kubernetes.kubeconfig, '--namespace', namespace];
  return helm([command, RELEASE, ...(/^(install|upgrade)$/.test(command) ? [CHART_FOLDER] : []), ...fixed, ...args]);
};

const secretsIn = async (namespace: string) => {
  const text = await kubernetes.kubectl(['-n', namespace, 'get', 'secrets', '-o', 'json']);
  const { items } = JSON.parse(text) as { items: (ChartObject & { data: object; type: string })[] };
  return Object.fromEntries(
    items
      .filter(({ type }) => !type.startsWith('helm.sh/'))
      .map(({ metadata, data }) => [metadata.name.replace(`${RELEASE}-`, ''), data]),
  );
};

const decoded = (data: object | undefined, key: string) =>
  Buffer.from((data as Record<string, string>)[key] ?? '', 'base64').toString();

const names = async (namespace: string, kinds: string) =>
  (await kubernetes.kubectl(['-n', namespace, 'get', kinds, '-o', 'name', '--ignore-not-found']))
    .trim()
    .split('\n')
    .filter((name) => name !== '' && !/configmap\/kube-root-ca|secret\/sh\.helm|serviceaccount\/default/.test(name))
    .sort();

test.concurrent(
  'a Helm release keeps its Secrets on upgrade, rollback and uninstall, and keeps its sample resources on uninstall',
  async () => {
    const namespace = await kubernetes.createNamespace({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    await release('install', namespace, '--set', 'samples.enabled=true');
    const installed = await secretsIn(namespace);
    expect(Object.keys(installed).sort()).toEqual([
      ...['admin-token', 'api-key-peppers', 'gateway-internal-tls', 'gateway-tls', 'redis-acl', 'redis-console'],
      ...['redis-gateway', 'redis-operator', 'redis-passwords', 'session-secrets', 'worker-ca', 'worker-ticket-key'],
      'worker-ticket-public-keys',
    ]);
    expect(await names(namespace, 'asrmodels,tenants')).toEqual([
      'asrmodel.asr.svc.dev/svc-asr-dholuo-v1',
      'asrmodel.asr.svc.dev/svc-asr-kikuyu-v1',
      'tenant.asr.svc.dev/demo',
    ]);

    // An upgrade does not undo the changes that an administrator has made to installed samples.
    await kubernetes.kubectl([
      ...['-n', namespace, 'patch', 'tenant', 'demo', '--type=merge'],
      ...['-p', '{"spec":{"displayName":"Mine"}}'],
    ]);
    const uid = () =>
      kubernetes.kubectl([
        '-n',
        namespace,
        'get',
        'tenant',
        'demo',
        '-o',
        'jsonpath={.metadata.uid} {.spec.displayName}',
      ]);
    const before = await uid();
    await release('upgrade', namespace, '--set', 'samples.enabled=true,gateway.replicas=3');
    expect(await secretsIn(namespace)).toEqual(installed);
    expect(await uid()).toBe(before);

    // Workers accept a recreated ticket key in addition to the old one.
    await kubernetes.kubectl(['-n', namespace, 'delete', 'secret', `${RELEASE}-worker-ticket-key`]);
    await release('upgrade', namespace, '--set', 'samples.enabled=true');
    const renewed = await secretsIn(namespace);
    const { 'worker-ticket-key': oldKey, 'worker-ticket-public-keys': _, ...others } = installed;
    const { 'worker-ticket-key': newKey, 'worker-ticket-public-keys': keys, ...same } = renewed;
    expect(same).toEqual(others);
    const accepted = parseTicketPublicKeys(decoded(keys, 'keys.pem'));
    expect([...accepted.keys()]).toEqual(
      [oldKey, newKey].map((data) => parseTicketKey(decoded(data, 'ticket.key')).id),
    );

    // If Helm renders the chart with access to the cluster, Secrets keep their existing values.
    const fixed = ['--kubeconfig', kubernetes.kubeconfig, '--namespace', namespace];
    const shown = ['-s', 'templates/secrets/*.yaml', '--dry-run=server'];
    await kubernetes.kubectl(['apply', '-f', '-'], await helm(['template', RELEASE, CHART_FOLDER, ...fixed, ...shown]));
    expect(await secretsIn(namespace)).toEqual(renewed);

    // The Secrets stay unchanged when an administrator manages them, and when the chart manages them again.
    await release('upgrade', namespace, '--set', 'secrets.create=false');
    expect(await secretsIn(namespace)).toEqual(renewed);
    await release('upgrade', namespace, '--set', `secrets.sessionSecrets.existingSecret=${RELEASE}-session-secrets`);
    expect(await secretsIn(namespace)).toEqual(renewed);

    await release('rollback', namespace, '1');
    expect(await secretsIn(namespace)).toEqual(installed);
    await release('uninstall', namespace);
    expect(await secretsIn(namespace)).toEqual(installed);
    expect(await names(namespace, 'all,configmaps,serviceaccounts,roles,rolebindings,pdb,networkpolicies')).toEqual([]);
    expect(await kubernetes.kubectl(['get', 'crd', 'asrmodels.asr.svc.dev', '-o', 'name'])).not.toBe('');
    expect(await names(namespace, 'tenants')).toEqual(['tenant.asr.svc.dev/demo']);

    // The next installation with the same name uses the remaining Secrets.
    await release('install', namespace);
    expect(await secretsIn(namespace)).toEqual(installed);
  },
  SLOW_MS,
);

test.concurrent(
  'upgrades that enable or keep autoscaling do not change the number of gateway replicas, nor does a rollback if autoscaling was enabled at installation',
  async () => {
    const namespace = await kubernetes.createNamespace();
    const gateway = `deployment/${RELEASE}-gateway`;
    const replicas = () => kubernetes.kubectl(['-n', namespace, 'get', gateway, '-o', 'jsonpath={.spec.replicas}']);
    // An autoscaler also changes the number of replicas through the scale subresource.
    const scale = (to: number) => kubernetes.kubectl(['-n', namespace, 'scale', gateway, `--replicas=${to}`]);
    const values = ['--set', 'crds.install=false', '--set'];
    await release('install', namespace, ...values, 'gateway.replicas=5');
    await release('upgrade', namespace, ...values, 'gateway.autoscaling.enabled=true');
    expect(await replicas()).toBe('5');
    await release('upgrade', namespace, ...values, 'gateway.autoscaling.enabled=true,commonLabels.again=yes');
    expect(await replicas()).toBe('5');
    await scale(7);
    await release('upgrade', namespace, ...values, 'gateway.autoscaling.enabled=true');
    expect(await replicas()).toBe('7');
    await release('uninstall', namespace);

    // If the autoscaler is enabled at installation, the chart never sets replicas, so a rollback does not change them.
    await release('install', namespace, ...values, 'gateway.autoscaling.enabled=true');
    await scale(4);
    await release('upgrade', namespace, ...values, 'gateway.autoscaling.enabled=true,commonLabels.again=yes');
    expect(await replicas()).toBe('4');
    await scale(6);
    await release('rollback', namespace, '1');
    expect(await replicas()).toBe('6');
  },
  SLOW_MS,
);

describe('objects rendered for every pair of options', () => {
  const rendered: { values: object; text: string; objects: ChartObject[] }[] = [];
  let namespace: string;
  beforeAll(async () => {
    namespace = await kubernetes.createNamespace();
    await kubernetes.kubectl(['apply', '--server-side', '-f', join(root, 'crds')]);
    for (const parts of pairwise(OPTIONS)) {
      const values = Object.assign({}, ...parts) as object;
      const text = await renderText(values, namespace);
      rendered.push({ values, text, objects: parseObjects(text) });
    }
  }, SLOW_MS);

  test(
    'are accepted by the API server',
    async () => {
      const dryRun = createDryRun(kubernetes);
      for (const { values, objects } of rendered) {
        for (const object of objects) {
          const problem = await dryRun(object);
          expect(problem === undefined ? undefined : [values, problem]).toBeUndefined();
        }
      }
      const typo = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'typo', namespace }, dada: {} };
      expect(await dryRun(typo)).toContain('dada');
    },
    SLOW_MS,
  );

  describe('in a check by kubeconform that skips third-party kinds,', () => {
    let conform: Conform;
    beforeAll(async () => {
      conform = await createConform(kubernetes, { definition: 'dev.svc.asr.v1.Tenant', skip: FOREIGN_KINDS });
    }, SLOW_MS);
    afterAll(() => conform.close());

    test(
      'match the strict schemas of the API server',
      async () => {
        // One call for all manifests, so that kubeconform reads each schema only once.
        const text = rendered.map((one) => one.text).join('\n---\n');
        const { problems, valid } = await conform.check(text);
        expect(problems).toEqual([]);
        const objects = rendered.flatMap((one) => one.objects);
        expect(valid).toBe(objects.filter(({ kind }) => !FOREIGN_KINDS.includes(kind)).length);
      },
      SLOW_MS,
    );

    const head = 'metadata: {name: wrong}\napiVersion:';
    test.each([
      [
        'a misspelled field',
        () => rendered[0]!.text.replace('imagePullPolicy:', 'imagePullPolcy:'),
        "'imagePullPolcy'",
      ],
      [
        'a misspelled field of a custom resource',
        () => `${head} asr.svc.dev/v1\nkind: Tenant\nspec: {displayNane: x}`,
        "'displayNane'",
      ],
      ['a duplicate field', () => `${head} v1\nkind: ConfigMap\ndata: {}\ndata: {}`, '"data" already set'],
      ['an unknown kind', () => `${head} v1\nkind: ConfigMop`, 'could not find schema for ConfigMop'],
    ])(
      'kubeconform reports %s',
      async (_case, manifests, problem) => {
        expect((await conform.check(manifests())).problems).toEqual([expect.stringContaining(problem)]);
      },
      SLOW_MS,
    );
  });
});

test.concurrent(
  'every pod of the chart passes Pod Security "restricted", with a fixed user id and with a user id that the platform sets',
  async () => {
    const namespace = await kubernetes.createNamespace({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    await release('install', namespace, '--set', 'crds.install=false');
    const post = (pod: object) => kubernetes.request('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod);
    for (const userId of [65_532, 0]) {
      const pods = podsOf(
        await render({ podSecurity: { userId }, redis: { persistence: { enabled: false } } }, namespace),
      );
      expect(pods.map(([name]) => name)).toHaveLength(5);
      for (const [name, { metadata, spec }] of pods) {
        const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: 'pod', namespace }, spec };
        const { status, text } = await post(pod);
        expect([name, status, status === 201 ? '' : text]).toEqual([name, 201, '']);
        // The refusal of a pod that violates the policy shows that the namespace enforces the policy.
        const careless = { ...pod, spec: { ...spec, securityContext: {} } };
        expect((await post(careless)).status).toBe(403);
      }
    }
  },
  SLOW_MS,
);

test(
  'the built-in roles give users the rights that the documentation lists for the resources',
  async () => {
    // This test is the last one, because it starts controllers. They would create pods for the Deployments of other
    // tests.
    await kubernetes.startControllers(kubernetes.kubeconfig);
    const namespace = await kubernetes.createNamespace();
    const roles = (await render()).filter(({ kind }) => kind === 'ClusterRole');
    await kubernetes.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: roles }));
    const rights = async (role: string) => {
      const granted: string[] = [];
      for (const resource of ['asrmodels', 'asrmodels/status', 'tenants', 'tenants/status', 'apikeys', 'members']) {
        for (const verb of ['get', 'patch']) {
          const [name, subresource] = resource.split('/');
          const resourceAttributes = { namespace, verb, group: 'asr.svc.dev', resource: name, subresource };
          const review = { spec: { user: role, resourceAttributes } };
          const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', ...review };
          const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
          const { status } = (await demand(kubernetes.request('POST', path, body))) as { status: { allowed: boolean } };
          if (status.allowed) granted.push(`${verb} ${resource}`);
        }
      }
      return granted;
    };
    for (const [role, expected] of [
      ['view', ['get asrmodels']],
      ['edit', ['get asrmodels', 'patch asrmodels', 'get tenants']],
      [
        'admin',
        ['asrmodels', 'tenants', 'apikeys', 'members'].flatMap((resource) => [`get ${resource}`, `patch ${resource}`]),
      ],
    ] as const) {
      const binding = ['create', 'rolebinding', role, `--clusterrole=${role}`, `--user=${role}`];
      await kubernetes.kubectl(['-n', namespace, ...binding]);
      // Controllers aggregate the roles, and the API server observes the result, some time later.
      await eventually(`the rights of ${role}`, 60_000, async () => (await rights(role)).length === expected.length);
      expect(await rights(role)).toEqual(expected);
    }
  },
  SLOW_MS,
);
