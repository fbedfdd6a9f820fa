import { eventually } from '../../test/support/eventually.ts';
import { KUBERNETES_TIMEOUT_MS, borrowKubernetes } from '../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../test/support/kubernetes.ts';
import { grantRules, readChartRules } from '../../test/support/kubernetes/grant.ts';
import { startRedis } from '../../test/support/redis.ts';
import { startTestConsole, untilReady } from './testing/console.ts';
import type { TestConsole } from './testing/console.ts';
import { createVisitor } from './testing/visitor.ts';

const WITHIN_MS = 60_000;
const TEST_TIMEOUT_MS = 240_000;

let kubernetes: Kubernetes;
let redis: Awaited<ReturnType<typeof startRedis>>;
let namespace: string;
let console_: TestConsole;

beforeAll(async () => {
  kubernetes = await borrowKubernetes({ controllers: true });
  redis = await startRedis();
  namespace = await kubernetes.createNamespace();
  console_ = await start();
}, KUBERNETES_TIMEOUT_MS);
afterAll(async () => {
  await console_.stop();
  await redis.stop();
  await kubernetes.stop();
}, KUBERNETES_TIMEOUT_MS);

/** Starts a console with exactly the permissions that the chart gives it. No operator runs. */
async function start(env: Record<string, string> = {}): Promise<TestConsole> {
  const kubeconfig = await grantRules(kubernetes, namespace, 'console', readChartRules('console'));
  const started = await startTestConsole(redis.url, {
    KUBERNETES: kubeconfig,
    NAMESPACE: namespace,
    KEY_ACTIVATION_TIMEOUT_MS: '0',
    KUBERNETES_RETRY_BASE_MS: '20',
    ...env,
  });
  await untilReady(started);
  return started;
}

const kubectl = (args: string[], input?: object) =>
  kubernetes.kubectl(['-n', namespace, ...args], input && JSON.stringify(input));
const read = async (what: string) => JSON.parse(await kubectl(['get', what, '-o', 'json', '--show-managed-fields']));
const call = (...args: Parameters<TestConsole['call']>) => console_.call(...args);
const put = (name: string, spec: object, headers: Record<string, string> = {}) =>
  call('PUT', `/admin/v1/tenants/${name}`, { body: { displayName: name, ...spec }, headers });
const grant = (name: string, body: object) => call('POST', `/admin/v1/tenants/${name}/grants`, { body });
const createKey = async (tenant: string) => (await call('POST', '/admin/v1/keys', { body: { tenant } })).body;
const manifest = (name: string, spec: object) => ({
  apiVersion: 'asr.svc.dev/v1',
  kind: 'Tenant',
  metadata: { name },
  spec: { displayName: name, ...spec },
});

test(
  'tenants can be created, read, changed, granted credit, listed and deleted in a cluster',
  async () => {
    expect(await put('radio', { state: 'Active' }, { 'if-none-match': '*' })).toMatchObject({ status: 201 });
    expect(await put('radio', {}, { 'if-none-match': '*' })).toMatchObject({ status: 412 });
    expect(await put('radio', { state: 'Suspended', models: ['m'] })).toMatchObject({ status: 200 });
    expect(await grant('radio', { id: 'may', audio_seconds: 60 })).toMatchObject({ status: 201 });
    expect(await grant('radio', { id: 'may', audio_seconds: 60 })).toMatchObject({ status: 200 });
    expect(await grant('radio', { id: 'may', audio_seconds: 61 })).toMatchObject({
      status: 409,
      body: { error: { code: 'grant_conflict' } },
    });
    const { spec, metadata } = await read('tenant/radio');
    expect(spec).toMatchObject({
      displayName: 'radio',
      state: 'Suspended',
      models: ['m'],
      limits: { concurrentSessions: 1 },
      grants: [{ id: 'may', audioSeconds: 60 }],
    });
    expect(metadata.managedFields.map(({ manager }: { manager: string }) => manager)).toEqual(['svc-asr-console']);
    expect((await call('GET', '/admin/v1/tenants/radio')).body).toMatchObject({
      name: 'radio',
      read_only: false,
      spec,
    });
    expect((await call('GET', '/admin/v1/tenants')).body.data).toEqual([expect.objectContaining({ name: 'radio' })]);
    expect(await call('DELETE', '/admin/v1/tenants/radio')).toMatchObject({ status: 200, body: { keys_revoked: 0 } });
    expect(await call('DELETE', '/admin/v1/tenants/radio')).toMatchObject({ status: 404 });
    expect(await grant('radio', { audio_seconds: 1 })).toMatchObject({ status: 404 });
    expect(await kubectl(['get', 'tenants', '-o', 'name'])).toBe('');
  },
  TEST_TIMEOUT_MS,
);

test(
  'a key in a cluster is owned by its tenant, stores no secret, and can be listed and revoked',
  async () => {
    expect(await call('POST', '/admin/v1/keys', { body: { tenant: 'acme' } })).toMatchObject({ status: 404 });
    await put('acme', {});
    const [first, second] = [await createKey('acme'), await createKey('acme')];
    const object = await read(`apikey/${first.key_id.toLowerCase()}`);
    const { uid } = (await read('tenant/acme')).metadata;
    expect(object.metadata.ownerReferences).toEqual([expect.objectContaining({ kind: 'Tenant', name: 'acme', uid })]);
    expect(JSON.stringify(object)).not.toContain(first.key);
    expect((await call('GET', '/admin/v1/keys?tenant=acme')).body.data).toHaveLength(2);

    expect(await call('DELETE', `/admin/v1/keys/${first.key_id}`)).toMatchObject({ status: 200 });
    expect(await call('DELETE', `/admin/v1/keys/${first.key_id}`)).toMatchObject({ status: 404 });
    // If the Tenant is deleted with kubectl and not by the console, its keys are deleted too.
    await kubectl(['delete', 'tenant/acme']);
    await eventually(
      'the key is deleted',
      WITHIN_MS,
      async () => (await kubectl(['get', 'apikeys', '-o', 'name'])) === '',
    );
    expect(await call('DELETE', `/admin/v1/keys/${second.key_id}`)).toMatchObject({ status: 404 });
  },
  TEST_TIMEOUT_MS,
);

test(
  'kubectl can show, approve and edit the tenant of an application, and the private link of the tenant stays valid',
  async () => {
    const developer = createVisitor(console_.pageUrl);
    const contact = { name: 'Achieng', email: 'achieng@example.org', use: 'captions' };
    const { status, body } = await developer.call('POST', 'applications', contact);
    expect(status).toBe(201);
    const object = await read(`tenant/${body.tenant}`);
    expect(object.spec).toMatchObject({ state: 'Waitlisted', contact });
    expect(object.metadata.annotations['asr.svc.dev/link-hash']).toMatch(/^p1:[0-9a-f]{64}$/);
    expect(JSON.stringify(object)).not.toContain(body.token.split('.')[1]);

    await kubectl(['annotate', `tenant/${body.tenant}`, 'team=radio']);
    await kubectl(
      ['apply', '-f', '-'],
      manifest(body.tenant, { state: 'Active', grants: [{ id: 'a', audioSeconds: 1 }] }),
    );
    expect((await developer.call('GET', 'account')).body).toMatchObject({ state: 'Active' });
    expect((await developer.call('POST', 'keys', { name: 'k' })).status).toBe(201);
    expect((await developer.call('GET', 'keys')).body.data).toHaveLength(1);

    const renewed = await call('POST', `/admin/v1/tenants/${body.tenant}/link`);
    expect(renewed.status).toBe(201);
    expect((await developer.call('GET', 'account')).status).toBe(401);
    expect((await developer.call('POST', 'sign-in', { token: renewed.body.token })).status).toBe(200);
    expect((await read(`tenant/${body.tenant}`)).metadata.annotations).toMatchObject({ team: 'radio' });
    await call('DELETE', `/admin/v1/tenants/${body.tenant}`);
    expect((await developer.call('GET', 'account')).status).toBe(401);
  },
  TEST_TIMEOUT_MS,
);

test.each([['client-side', []] as const, ['server-side', ['--server-side']] as const])(
  'kubectl apply (%s) and the console can change the same tenant, and only client-side apply removes grants that the console has added',
  async (side, options) => {
    const name = `shared-${side}`;
    const apply = (spec: object) => kubectl(['apply', ...options, '-f', '-'], manifest(name, spec));
    await apply({ state: 'Active', grants: [{ id: 'welcome', audioSeconds: 10 }] });
    expect(await grant(name, { id: 'more', audio_seconds: 5 })).toMatchObject({ status: 201 });
    // The user changes the file and applies it again.
    await apply({ state: 'Active', limits: { concurrentSessions: 7 }, grants: [{ id: 'welcome', audioSeconds: 10 }] });
    expect((await read(`tenant/${name}`)).spec.limits.concurrentSessions).toBe(7);
    expect(await grant(name, { id: 'last', audio_seconds: 1 })).toMatchObject({ status: 201 });
    const { spec } = await read(`tenant/${name}`);
    expect(spec.limits.concurrentSessions).toBe(7);
    const ids = spec.grants.map(({ id }: { id: string }) => id).sort();
    // Client-side apply replaces whole lists. Server-side apply merges the entries of each field manager.
    expect(ids).toEqual(side === 'server-side' ? ['last', 'more', 'welcome'] : ['last', 'welcome']);
    await kubectl(['delete', 'tenant', name]);
  },
  TEST_TIMEOUT_MS,
);

test(
  'concurrent grants of two consoles are all kept',
  async () => {
    const other = await start();
    try {
      await put('busy', {});
      const ids = Array.from({ length: 12 }, (_, at) => `g${at}`);
      const answers = await Promise.all(
        ids.map((id, at) =>
          (at % 2 === 0 ? console_ : other).call('POST', '/admin/v1/tenants/busy/grants', {
            body: { id, audio_seconds: 1 },
          }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 201));
      const { spec } = await read('tenant/busy');
      expect(spec.grants.map(({ id }: { id: string }) => id).sort()).toEqual([...ids].sort());
    } finally {
      await other.stop();
    }
    await kubectl(['delete', 'tenant/busy']);
  },
  TEST_TIMEOUT_MS,
);

test(
  'only one of many concurrent requests creates a tenant',
  async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => put('one', {}, { 'if-none-match': '*' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(412)]);
    await kubectl(['delete', 'tenant/one']);
  },
  TEST_TIMEOUT_MS,
);

test(
  'a tenant that an admission policy of the cluster rejects is reported like a validation error of the console',
  async () => {
    const policy = (kind: string, spec: object) => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: { name: 'no-suspension' },
      spec,
    });
    await kubectl(
      ['apply', '-f', '-'],
      policy('ValidatingAdmissionPolicy', {
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: ['asr.svc.dev'],
              apiVersions: ['v1'],
              operations: ['CREATE', 'UPDATE'],
              resources: ['tenants'],
            },
          ],
        },
        validations: [{ expression: "object.spec.state != 'Suspended'", message: 'no tenant is suspended here' }],
      }),
    );
    await kubectl(
      ['apply', '-f', '-'],
      policy('ValidatingAdmissionPolicyBinding', { policyName: 'no-suspension', validationActions: ['Deny'] }),
    );
    const refused = await eventually('the policy is applied', WITHIN_MS, async () => {
      const answer = await put('policed', { state: 'Suspended' });
      return answer.status >= 400 && answer;
    });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_parameters' } } });
    expect(refused.body.error.message).toContain('no tenant is suspended here');
    await kubectl(['delete', 'validatingadmissionpolicy,validatingadmissionpolicybinding', 'no-suspension']);
    await kubectl(['delete', 'tenants', '--all']);
  },
  TEST_TIMEOUT_MS,
);

test(
  'a tenant whose deletion is in progress is not found, and cannot be created again until the deletion is complete',
  async () => {
    await kubectl(['apply', '-f', '-'], {
      ...manifest('leaving', {}),
      metadata: { name: 'leaving', finalizers: ['asr.svc.dev/operator'] },
    });
    expect(await call('DELETE', '/admin/v1/tenants/leaving')).toMatchObject({ status: 200, body: { deleted: true } });
    expect(await call('GET', '/admin/v1/tenants/leaving')).toMatchObject({ status: 404 });
    expect((await call('GET', '/admin/v1/tenants')).body.data).toEqual([]);
    expect(await put('leaving', {})).toMatchObject({ status: 409, body: { error: { code: 'being_deleted' } } });
    await kubectl(['patch', 'tenant/leaving', '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
    await eventually(
      'the tenant can be created again',
      WITHIN_MS,
      async () => (await put('leaving', {})).status === 201,
    );
    await kubectl(['delete', 'tenant/leaving']);
  },
  TEST_TIMEOUT_MS,
);

test(
  'the admin API returns 503 with Retry-After while the API server is unavailable, and loses no grant',
  async () => {
    await put('acme', { grants: [{ id: 'a', audioSeconds: 1 }] });
    await kubernetes.stopApiServer();
    try {
      const { status, headers, body } = await grant('acme', { id: 'b', audio_seconds: 1 });
      expect([status, body.error.code]).toEqual([503, 'service_unavailable']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(body.error.message).toContain('Kubernetes API');
      expect(await call('GET', '/admin/v1/tenants')).toMatchObject({ status: 503 });
      expect(await call('DELETE', '/admin/v1/keys/8fK2pQ9xLm')).toMatchObject({ status: 503 });
      expect((await fetch(`${console_.healthUrl}/livez`)).status).toBe(200);
      expect((await fetch(`${console_.healthUrl}/readyz`)).status).toBe(200);
    } finally {
      await kubernetes.startApiServer();
    }
    await eventually('requests succeed again', WITHIN_MS, async () => {
      const { status } = await grant('acme', { id: 'b', audio_seconds: 1 });
      return status < 300;
    });
    const { spec } = await read('tenant/acme');
    expect(spec.grants.map(({ id }: { id: string }) => id)).toEqual(['a', 'b']);
    expect(console_.output()).not.toContain('"level":"error"');
  },
  TEST_TIMEOUT_MS,
);

test(
  'a key rotation in a cluster changes the expiry of the old key, and needs only the permissions that the Helm chart grants',
  async () => {
    await put('rotating', { state: 'Active' });
    const { body: link } = await call('POST', '/admin/v1/tenants/rotating/link');
    const developer = createVisitor(console_.pageUrl);
    await developer.call('POST', 'sign-in', { token: link.token });
    for (const expiry of [{}, { expires_in_days: 30 }]) {
      const { body: old } = await developer.call('POST', 'keys', expiry);
      const rotated = await developer.call('POST', `keys/${old.key_id}/rotate`, { overlap_hours: 1 });
      expect(rotated).toMatchObject({ status: 201, body: { replaces: old.key_id } });
      const { spec } = await read(`apikey/${old.key_id.toLowerCase()}`);
      expect(Date.parse(spec.expiresAt)).toBeLessThanOrEqual(Date.now() + 3_600_000);
    }
    await call('DELETE', '/admin/v1/tenants/rotating');
  },
  TEST_TIMEOUT_MS,
);

test(
  'the admin API returns 403 cluster_refused if the role of the console lacks a permission',
  async () => {
    const fewer = readChartRules('console').map((rule) => ({
      ...rule,
      verbs: rule.verbs.filter((verb) => verb !== 'update'),
    }));
    await put('acme', {});
    await grantRules(kubernetes, namespace, 'console', fewer);
    const refused = await eventually('the right is revoked', WITHIN_MS, async () => {
      const answer = await put('acme', { displayName: `x${Date.now()}` });
      return answer.status >= 400 && answer;
    });
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'cluster_refused' } } });
    expect(refused.body.error.message).toMatch(/cannot update resource "tenants"/);
    await grantRules(kubernetes, namespace, 'console', readChartRules('console'));
  },
  TEST_TIMEOUT_MS,
);

test(
  'GET models returns conditions and events from the cluster, and GET health returns the leading operator',
  async () => {
    const model = {
      apiVersion: 'asr.svc.dev/v1',
      kind: 'ASRModel',
      metadata: { name: 'kikuyu' },
      spec: { language: 'Kikuyu', languageCode: 'ki', artifact: { path: '/models/ki' } },
    };
    await kubectl(['apply', '-f', '-'], model);
    const condition = {
      type: 'Available',
      status: 'False',
      reason: 'NoWorkers',
      message: 'No worker is ready.',
      lastTransitionTime: '2027-01-01T00:00:00Z',
    };
    const status = JSON.stringify({ status: { revision: 'r1', conditions: [condition] } });
    await kubectl(['patch', 'asrmodel/kikuyu', '--subresource=status', '--type=merge', '-p', status]);
    const event = (name: string, kind: string) => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace },
      involvedObject: { apiVersion: 'asr.svc.dev/v1', kind, name: 'kikuyu', namespace },
      type: 'Warning',
      reason: name,
      message: 'A message.',
      count: 3,
      lastTimestamp: '2027-01-01T00:00:00Z',
    });
    await kubectl(['apply', '-f', '-'], event('about-the-model', 'ASRModel'));
    await kubectl(['apply', '-f', '-'], event('about-a-pod', 'Pod'));
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'svc-asr-operator' },
      spec: { holderIdentity: 'operator-1', renewTime: '2027-01-01T00:00:00.000000Z' },
    };
    await kubectl(['apply', '-f', '-'], lease);
    expect((await call('GET', '/admin/v1/models')).body.data).toEqual([
      expect.objectContaining({
        name: 'kikuyu',
        revision: 'r1',
        conditions: [expect.objectContaining({ type: 'Available', status: 'False', reason: 'NoWorkers' })],
        events: [expect.objectContaining({ reason: 'about-the-model', count: 3 })],
      }),
    ]);
    expect((await call('GET', '/admin/v1/health')).body).toMatchObject({
      resources: { kind: 'cluster', reachable: true },
      operator: { holder: 'operator-1', renewed_at: '2027-01-01T00:00:00.000000Z' },
    });
  },
  TEST_TIMEOUT_MS,
);
