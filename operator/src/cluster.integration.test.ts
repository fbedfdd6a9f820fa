import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KUBERNETES_TIMEOUT_MS } from '../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../test/support/kubernetes.ts';
import { applyResources } from '../../test/support/kubernetes/apply.ts';
import { demand } from '../../test/support/kubernetes/request.ts';
import { startRedis } from '../../test/support/redis.ts';
import type { KubeObject } from '@svc-asr/kubernetes';
import { FINALIZER } from './source/kubernetes/finalizer.ts';
import { clusterSettings } from './testing/cluster-operator.ts';
import { eventually } from './testing/eventually.ts';
import { startFaultProxy } from './testing/fault-proxy.ts';
import type { ProxyRequest } from './testing/fault-proxy.ts';
import { openLedger, startTestOperator } from './testing/harness.ts';
import type { TestOperator } from './testing/harness.ts';
import { apiKey, model, tenant } from './testing/resources.ts';
import { CRDS, CRD_FILES, startTestCluster } from './testing/test-cluster.ts';

const TEST_MS = 180_000;
const WITHIN_MS = 60_000;

let kubernetes: Kubernetes;
/** Functions that end what the tests have started. */
const ends: (() => Promise<unknown>)[] = [];
async function endAll(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end().catch(() => undefined);
}

beforeAll(async () => {
  kubernetes = await startTestCluster();
}, KUBERNETES_TIMEOUT_MS);
// Jest runs afterEach only for the test that is not concurrent. All concurrent tests have ended before that test
// starts.
afterEach(endAll, TEST_MS);
afterAll(async () => {
  await endAll();
  // Restores the CRDs, because one test replaces a CRD, and other test files use the same API server.
  await kubernetes.kubectl(['apply', '--server-side', ...CRD_FILES.flatMap((file) => ['-f', file])]);
  await kubernetes.stop();
}, KUBERNETES_TIMEOUT_MS);

const eventuallyLong = <T>(check: () => T | Promise<T>) => eventually(check, WITHIN_MS);

/** Creates a namespace and a Redis for one test. Operators reach the API server through a proxy. */
async function openScene() {
  const redis = await startRedis();
  const { ledger, close } = openLedger(redis.url);
  await eventually(() => ledger.catalogue.read());
  const namespace = await kubernetes.createNamespace();
  const proxy = await startFaultProxy(kubernetes.kubeconfig, namespace);
  const operators: TestOperator[] = [];
  ends.push(redis.stop, close, proxy.stop, () => Promise.all(operators.map((operator) => operator.stop())));
  const kubectl = (args: string[], input?: string) => kubernetes.kubectl(['-n', namespace, ...args], input);
  return {
    ledger,
    proxy,
    kubectl,
    start: async (env: NodeJS.ProcessEnv = {}, redisUrl = redis.url): Promise<TestOperator> => {
      const settings = clusterSettings(proxy.kubeconfig, namespace, redisUrl);
      const operator = await startTestOperator([], redisUrl, { ...settings, ...env });
      operators.push(operator);
      return operator;
    },
    stop: (operator: TestOperator) => operators.splice(operators.indexOf(operator), 1)[0]!.stop(),
    apply: (...resources: object[]) => applyResources(kubernetes.request, namespace, resources),
    /** Reads a resource with a request. Tests poll resources, and kubectl would take far more processor time. */
    get: async (kind: string, name: string) => {
      const path = `/apis/asr.svc.dev/v1/namespaces/${namespace}/${kind}s/${name}`;
      return (await demand(kubernetes.request('GET', path))) as KubeObject & { status?: Record<string, unknown> };
    },
    state: async (name: string) => (await ledger.accounts.read(name))?.state,
  };
}

const ready = (operator: TestOperator) =>
  eventuallyLong(async () => expect((await operator.get('/readyz')).body).toBe('ok\n'));
const grants = [{ id: 'welcome', audioSeconds: 60 }];
const active = (name: string, spec: object = {}) => tenant(name, { state: 'Active', grants, ...spec });
const isWrite = ({ method, path }: ProxyRequest) => method !== 'GET' && !path.includes('/leases/');
/** Returns the number of requests to the API server, including those that did not reach it. */
const triesOf = async (operator: TestOperator) => {
  const { body } = await operator.get('/metrics');
  const found = body.matchAll(/^svc_asr_operator_kubernetes_requests_total\{.*\} (\d+)/gm);
  return [...found].reduce((sum, [, count]) => sum + Number(count), 0);
};
const metric = async (operator: TestOperator, pattern: RegExp) =>
  Number(pattern.exec((await operator.get('/metrics')).body)?.[1] ?? Number.NaN);

// The longest test is the first one, so that it starts immediately. Jest limits the number of tests that run at the
// same time, and later tests wait for a free place.
test.concurrent(
  'after an operator could not reach the API server for ten lease durations, it applies the changes that other clients made in that time',
  async () => {
    const { start, apply, get, kubectl, state, proxy } = await openScene();
    await apply(active('acme'), active('gone'));
    // The outage is longer than the lease. The operator writes nothing during the outage. After it, the operator
    // continues, because no other operator has acquired the lease.
    const leaseSeconds = 5;
    const lease = { LEASE_SECONDS: String(leaseSeconds), LEASE_RENEW_MS: '4500', LEASE_RETRY_MS: '500' };
    // This is the default of KUBERNETES_RETRY_MAX_MS. Other tests set a shorter retry delay.
    const operator = await start({ ...lease, KUBERNETES_RETRY_MAX_MS: '10000' });
    await ready(operator);
    await eventuallyLong(async () => expect((await get('tenant', 'gone')).status).toBeDefined());
    proxy.refuse(true);
    proxy.requests.length = 0;
    const before = await triesOf(operator);
    await apply(active('acme', { state: 'Suspended' }), active('new'));
    await kubectl(['delete', 'tenant/gone', '--wait=false']);
    await new Promise((done) => setTimeout(done, 10 * leaseSeconds * 1000));
    // These requests include about two attempts per second to renew the lease.
    const tried = (await triesOf(operator)) - before;
    expect(tried).toBeGreaterThan(5);
    expect(tried).toBeLessThan(300);
    expect([await state('acme'), await state('new'), await state('gone')]).toEqual(['Active', undefined, 'Active']);
    proxy.refuse(false);
    await eventuallyLong(async () =>
      expect([await state('acme'), await state('new'), await state('gone')]).toEqual([
        'Suspended',
        'Active',
        'Deleted',
      ]),
    );
    await eventuallyLong(async () => expect(await kubectl(['get', 'tenants', '-o', 'name'])).not.toContain('gone'));
    expect(operator.lost).toEqual([]);
    expect(proxy.requests.length).toBeLessThan(300);
  },
  TEST_MS,
);

test.concurrent(
  'the operator creates an account and a key after kubectl apply, reports their status, and closes the account and revokes the key after kubectl delete',
  async () => {
    const { start, get, kubectl, state, ledger } = await openScene();
    const apply = (...items: object[]) =>
      kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const operator = await start();
    await ready(operator);
    await apply(active('acme'), apiKey('8fK2pQ9xLm', 'acme'));
    await eventuallyLong(async () => expect((await ledger.accounts.read('acme'))?.availableMs).toBe(60_000));
    await eventuallyLong(async () => expect((await ledger.apiKeys.find('8fK2pQ9xLm'))?.revoked).toBe(false));

    const applied = { type: 'Ready', status: 'True', reason: 'Applied', observedGeneration: 1 };
    await eventuallyLong(async () => {
      expect(await get('tenant', 'acme')).toMatchObject({
        metadata: { finalizers: [FINALIZER] },
        status: {
          observedGeneration: 1,
          credits: { availableMs: 60_000, reservedMs: 0, consumedMs: 0, available: '1m' },
          liveSessions: 0,
          conditions: expect.arrayContaining([expect.objectContaining(applied)]),
        },
      });
      expect((await get('apikey', '8fk2pq9xlm')).status).toMatchObject({ conditions: [applied] });
    });
    expect(await kubectl(['get', 'tenants'])).toMatch(/acme +Active +1m +0s +0s +0 /);

    await apply(active('acme', { state: 'Suspended' }));
    await eventuallyLong(async () => expect(await state('acme')).toBe('Suspended'));
    await eventuallyLong(async () => expect((await get('tenant', 'acme')).status?.observedGeneration).toBe(2));

    await kubectl(['delete', 'apikey/8fk2pq9xlm', 'tenant/acme', '--timeout=60s']);
    expect(await state('acme')).toBe('Deleted');
    expect((await ledger.apiKeys.find('8fK2pQ9xLm'))?.revoked).toBe(true);
    expect(await kubectl(['get', 'tenants,apikeys'])).toBe('');
    for (const kind of ['Tenant', 'ApiKey']) {
      await eventuallyLong(async () => expect((await ledger.registry.list(kind)).size).toBe(0));
    }
  },
  TEST_MS,
);

test.concurrent(
  'an ApiKey that was created before its Tenant becomes Ready as soon as the Tenant exists',
  async () => {
    const { start, get, kubectl } = await openScene();
    // With this interval, no status round of ApiKeys can run during this test.
    await ready(await start({ STATUS_BALANCE_INTERVAL_MS: String(10 * TEST_MS) }));
    const apply = (item: object) => kubectl(['apply', '-f', '-'], JSON.stringify(item));
    const expectReady = (condition: object) =>
      eventuallyLong(async () =>
        expect((await get('apikey', '8fk2pq9xlm')).status).toMatchObject({ conditions: [condition] }),
      );
    await apply(apiKey('8fK2pQ9xLm', 'acme'));
    await expectReady({ type: 'Ready', status: 'False', reason: 'TenantMissing' });
    await apply(active('acme'));
    await expectReady({ type: 'Ready', status: 'True', reason: 'Applied' });
  },
  TEST_MS,
);

test.concurrent(
  'after a resync, a restart and a repeated apply, the operator writes nothing to the API server except its lease',
  async () => {
    const { start, stop, apply, get, proxy } = await openScene();
    await apply(active('acme'), active('other'), apiKey('8fK2pQ9xLm', 'acme'));
    const first = await start({ RESYNC_SECONDS: '1' });
    await ready(first);
    for (const name of ['acme', 'other']) {
      await eventuallyLong(async () => expect((await get('tenant', name)).status?.observedGeneration).toBe(1));
    }
    await eventuallyLong(async () => expect((await get('apikey', '8fk2pq9xlm')).status).toBeDefined());
    // Counts only successful syncs. The metric has another `result` for syncs that fail because Redis is unavailable or
    // this operator is not the leader.
    const successes = /svc_asr_operator_reconciles_total\{[^}]*kind="Sync",result="success"[^}]*\} (\d+)/;
    const syncs = async () => {
      expect(first.lost).toEqual([]);
      return metric(first, successes);
    };
    proxy.requests.length = 0;
    const before = await syncs();
    await eventuallyLong(async () => expect(await syncs()).toBeGreaterThan(before + 3));
    await apply(active('acme'));
    const between = await syncs();
    await eventuallyLong(async () => expect(await syncs()).toBeGreaterThan(between + 1));
    expect(proxy.requests.filter(isWrite)).toEqual([]);

    await stop(first);
    proxy.requests.length = 0;
    const second = await start();
    await ready(second);
    await eventuallyLong(async () =>
      expect(await metric(second, /^svc_asr_operator_leader(?:\{[^}]*\})? (\d)/m)).toBe(1),
    );
    await ready(second);
    expect(proxy.requests.filter(isWrite)).toEqual([]);
  },
  TEST_MS,
);

test.concurrent(
  'the operator updates the credits in the status of a Tenant when its account changes',
  async () => {
    const { start, apply, get, ledger } = await openScene();
    const operator = await start({ STATUS_BALANCE_INTERVAL_MS: '1000' });
    await apply(active('acme'));
    await eventuallyLong(async () => expect((await get('tenant', 'acme')).status?.observedGeneration).toBe(1));
    await ready(operator);
    await ledger.accounts.grant('acme', 'by-hand', 5000);
    await eventuallyLong(async () =>
      expect((await get('tenant', 'acme')).status).toMatchObject({ credits: { availableMs: 65_000 } }),
    );
  },
  TEST_MS,
);

// This test is not concurrent, because it replaces a CRD.
test(
  'a resource that the API server accepts but the operator rejects keeps its last valid state and reports InvalidSpec',
  async () => {
    const { start, stop, apply, get, kubectl, state } = await openScene();
    // Simulates a CRD that is older than the operator.
    const file = join(kubernetes.folder, 'old-tenants.yaml');
    const crd = readFileSync(join(CRDS, 'tenants.yaml'), 'utf8');
    writeFileSync(file, crd.replaceAll(/minimum: 1$/gm, 'minimum: 0'));
    await kubernetes.kubectl(['apply', '--server-side', '-f', file]);
    const operator = await start();
    await ready(operator);
    await apply(active('acme'));
    await eventuallyLong(async () => expect(await state('acme')).toBe('Active'));
    const wrong = { state: 'Suspended', limits: { concurrentSessions: 0 } };
    await eventuallyLong(() => apply(active('acme', wrong), active('never', wrong)));
    const invalid = { type: 'Ready', status: 'False', reason: 'InvalidSpec' };
    await eventuallyLong(async () => {
      const { status } = await get('tenant', 'acme');
      const condition = expect.objectContaining({ ...invalid, observedGeneration: 2 });
      expect(status).toMatchObject({ observedGeneration: 1, conditions: expect.arrayContaining([condition]) });
      expect(JSON.stringify(status)).toContain('spec.limits.concurrentSessions');
    });
    expect(await state('acme')).toBe('Active');
    await eventuallyLong(async () =>
      expect((await get('tenant', 'never')).status).toMatchObject({ conditions: [invalid] }),
    );
    expect(await state('never')).toBeUndefined();
    await eventuallyLong(async () =>
      expect(await kubectl(['get', 'events'])).toMatch(/Warning +InvalidSpec +tenant\/acme/),
    );

    // The second operator has never observed a valid state of the tenant, but must not treat the tenant as deleted.
    await stop(operator);
    const second = await start();
    await ready(second);
    expect(await state('acme')).toBe('Active');
    await apply(active('acme', { state: 'Suspended' }));
    await eventuallyLong(async () => expect(await state('acme')).toBe('Suspended'));
    await kubectl(['delete', 'tenant/acme', 'tenant/never', '--timeout=60s']);
    expect(await state('acme')).toBe('Deleted');
  },
  TEST_MS,
);

test.concurrent(
  'a Tenant deleted while no operator runs keeps its finalizer, and the next operator closes the account',
  async () => {
    const { start, stop, apply, get, kubectl, state } = await openScene();
    await apply(active('acme'));
    const first = await start();
    await eventuallyLong(async () => expect(await state('acme')).toBe('Active'));
    await eventuallyLong(async () => expect((await get('tenant', 'acme')).status).toBeDefined());
    await stop(first);
    await kubectl(['delete', 'tenant/acme', '--wait=false']);
    expect((await get('tenant', 'acme')).metadata.deletionTimestamp).toBeDefined();
    await start();
    await eventuallyLong(async () => expect(await kubectl(['get', 'tenants'])).toBe(''));
    expect(await state('acme')).toBe('Deleted');
  },
  TEST_MS,
);

test.concurrent(
  'a standby operator watches the Tenants, writes nothing to Redis, and becomes the leader when the leader stops',
  async () => {
    const { start, stop, apply, state } = await openScene();
    const first = await start();
    await apply(active('acme'));
    await eventuallyLong(async () => expect(await state('acme')).toBe('Active'));
    const empty = await startRedis();
    const emptyLedger = openLedger(empty.url);
    try {
      const second = await start({ RESYNC_SECONDS: '1' }, empty.url);
      await ready(second);
      const leads = /svc_asr_operator_leader(?:\{[^}]*\})? (\d)/;
      expect([await metric(first, leads), await metric(second, leads)]).toEqual([1, 0]);
      await apply(active('other'));
      await eventuallyLong(async () => expect(await state('other')).toBe('Active'));
      const resources = /svc_asr_operator_resources\{[^}]*kind="Tenant"[^}]*\} (\d+)/;
      await eventuallyLong(async () => expect(await metric(second, resources)).toBe(2));
      expect(await emptyLedger.ledger.link.send('', ['DBSIZE'])).toBe(0);

      await stop(first);
      await eventuallyLong(async () => expect(await metric(second, leads)).toBe(1));
      expect([first.lost, second.lost]).toEqual([[], []]);
      await stop(second);
    } finally {
      await emptyLedger.close();
      await empty.stop();
    }
  },
  TEST_MS,
);

test.concurrent.each([
  ['409', { status: 409, reason: 'Conflict', times: 3 }],
  ['429 with Retry-After', { status: 429, reason: 'TooManyRequests', retryAfterSeconds: 1, times: 3 }],
  ['500', { status: 500, reason: 'InternalError', times: 10 }],
])(
  'if the API server answers the first writes of the operator with %s, a later retry succeeds, without a hot loop',
  async (_, fault) => {
    const { start, apply, get, state, proxy } = await openScene();
    const operator = await start();
    await ready(operator);
    proxy.requests.length = 0;
    proxy.faults.push({ ...fault, on: isWrite });
    await apply(active('acme'));
    await eventuallyLong(async () => expect((await get('tenant', 'acme')).status?.observedGeneration).toBe(1));
    expect(await state('acme')).toBe('Active');
    expect(proxy.requests.filter(isWrite).length).toBeLessThan(fault.times + 10);
  },
  TEST_MS,
);

test.concurrent(
  'the catalogue offers a model until it is deleted, and the status of the model reports its pool',
  async () => {
    const { start, apply, get, kubectl, ledger } = await openScene();
    const operator = await start();
    await ready(operator);
    await apply(model('m1', { scaling: { min: 0, max: 2 } }));
    await eventuallyLong(async () => expect((await ledger.catalogue.read())?.map(({ id }) => id)).toEqual(['m1']));
    await eventuallyLong(async () => {
      const { status, metadata } = await get('asrmodel', 'm1');
      expect(metadata.finalizers).toEqual([FINALIZER]);
      expect(status).toMatchObject({
        observedGeneration: 1,
        replicas: 0,
        readyReplicas: 0,
        workers: '0/0',
        selector: 'asr.svc.dev/model=m1',
        slots: { total: 0, active: 0, reserved: 0, waiting: 0 },
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: 'Ready', status: 'True' }),
          expect.objectContaining({ type: 'Available', status: 'True', reason: 'ScaledToZero' }),
        ]),
      });
    });
    await kubectl(['delete', 'asrmodel/m1', '--timeout=60s']);
    expect(await ledger.catalogue.read()).toEqual([]);
    await eventuallyLong(async () => expect((await ledger.registry.list('ASRModel')).size).toBe(0));
  },
  TEST_MS,
);

test.concurrent(
  'the operator reports relists, the watch age and API requests in its metrics',
  async () => {
    const { start, apply, state } = await openScene();
    const operator = await start();
    await apply(active('acme'));
    await eventuallyLong(async () => expect(await state('acme')).toBe('Active'));
    const value = (pattern: RegExp) => metric(operator, pattern);
    expect(await value(/svc_asr_operator_relists_total\{[^}]*kind="Tenant"[^}]*reason="start"[^}]*\} (\d+)/)).toBe(1);
    expect(await value(/svc_asr_operator_watch_age_seconds\{[^}]*kind="Tenant"[^}]*\} ([\d.e-]+)/)).toBeLessThan(60);
    const requests = /svc_asr_operator_kubernetes_requests_total\{[^}]*verb="watch"[^}]*code="200"[^}]*\} (\d+)/;
    // At least three watches must have been answered. The API server may answer watches of further kinds later.
    await eventuallyLong(async () => expect(await value(requests)).toBeGreaterThanOrEqual(3));
  },
  TEST_MS,
);
