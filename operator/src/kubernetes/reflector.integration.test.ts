import { KUBERNETES_TIMEOUT_MS, borrowKubernetes } from '../../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../../test/support/kubernetes.ts';
import { eventually } from '../testing/eventually.ts';
import { startFaultProxy } from '../testing/fault-proxy.ts';
import type { Fault, FaultProxy, ProxyRequest } from '../testing/fault-proxy.ts';
import { createTestLogger } from '../testing/logs.ts';
import { createAccess, createKubeApi, createTransport, TYPES } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject } from '@svc-asr/kubernetes';
import { ApiReflector } from './reflector.ts';
import type { Reflector, ReflectorTimes } from './reflector.ts';

const TYPE = TYPES.ConfigMap;
/** Time limit of a test. The machine may be busy with other tests. */
const TEST_MS = 180_000;
const SELECTOR = 'test=yes';
const times: ReflectorTimes = {
  pageSize: 3,
  watchSeconds: { min: 30, max: 60 },
  idleTimeoutMs: 20_000,
  relistMs: 3_600_000,
  backoff: { baseMs: 50, maxMs: 1000 },
  shortestWatchMs: 200,
};

let kubernetes: Kubernetes;
let direct: KubeApi;
let proxy: FaultProxy;
let proxied: KubeApi;
const reflectors: Reflector[] = [];

function connect(kubeconfig: string, namespace: string): KubeApi {
  const access = createAccess(kubeconfig, () => performance.now());
  return createKubeApi({
    fieldManager: 'test',
    namespace,
    access,
    transport: createTransport({ access, client: 'test', maxSockets: 8 }),
    watchTransport: createTransport({ access, client: 'test' }),
    timeoutMs: 30_000,
    retry: { tries: 4, baseMs: 50, maxMs: 5000 },
  });
}

beforeAll(async () => {
  kubernetes = await borrowKubernetes();
}, KUBERNETES_TIMEOUT_MS);
afterAll(() => kubernetes.stop(), KUBERNETES_TIMEOUT_MS);

beforeEach(async () => {
  const namespace = await kubernetes.createNamespace();
  direct = connect(kubernetes.kubeconfig, namespace);
  proxy = await startFaultProxy(kubernetes.kubeconfig, namespace);
  proxied = connect(proxy.kubeconfig, namespace);
});
afterEach(async () => {
  for (const reflector of reflectors.splice(0)) reflector.stop();
  proxied.close();
  direct.close();
  await proxy.stop();
});

const map = (name: string, value = 'x'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { test: 'yes' } },
  data: { value },
});
const put = (name: string, value?: string) => direct.apply(TYPE, map(name, value));
const remove = (name: string) => direct.delete(TYPE, name);

function follow(changes: Partial<ReflectorTimes> = {}) {
  const relists: string[] = [];
  const reflector = new ApiReflector({
    api: proxied,
    type: TYPE,
    labelSelector: SELECTOR,
    onChange: () => undefined,
    times: { ...times, ...changes },
    logger: createTestLogger().logger,
    onRelist: (reason) => relists.push(reason),
  });
  reflectors.push(reflector);
  const shows = async (expected: Record<string, string>) =>
    eventually(() => {
      const values = reflector.list().map(({ metadata, data }) => [metadata.name, (data as { value: string }).value]);
      expect(Object.fromEntries(values)).toEqual(expected);
    }, 60_000);
  return { reflector, relists, shows };
}
const count = (of: (request: ProxyRequest) => boolean) => proxy.requests.filter(of).length;
const watching = () => eventually(() => expect(proxy.openWatches()).toBe(1), 60_000);

test(
  'the Kubernetes client creates, applies, patches and deletes objects on a real API server',
  async () => {
    expect(await direct.get(TYPE, 'a')).toBeUndefined();
    const created = await direct.create(TYPE, map('a', 'one'));
    await expect(direct.create(TYPE, map('a'))).rejects.toMatchObject({ status: 409, reason: 'AlreadyExists' });
    const applied = await direct.apply(TYPE, map('a', 'two'));
    expect(applied.data).toEqual({ value: 'two' });
    await expect(direct.replace(TYPE, { ...created, data: {} })).rejects.toMatchObject({
      status: 409,
      reason: 'Conflict',
    });
    await direct.mergePatch(TYPE, 'a', { data: { other: 'y' } });
    expect((await direct.get(TYPE, 'a'))?.data).toEqual({ value: 'two', other: 'y' });
    await expect(direct.delete(TYPE, 'a', { uid: 'another' })).rejects.toMatchObject({ status: 409 });
    await direct.delete(TYPE, 'a', { uid: created.metadata.uid! });
    await direct.delete(TYPE, 'a');
    expect((await direct.list(TYPE, { labelSelector: SELECTOR })).items).toEqual([]);
    // Requests a type that no CRD defines, because other test files may have installed the CRDs on this API server.
    await expect(direct.list({ ...TYPES.Tenant, plural: 'unknowns' })).rejects.toThrow('install the CRDs');
  },
  TEST_MS,
);

test(
  'the reflector lists in pages and follows additions, changes and deletions',
  async () => {
    for (let n = 0; n < 8; n++) await put(`m${n}`);
    await direct.apply(TYPE, { ...map('other'), metadata: { name: 'other' } });
    const { reflector, relists, shows } = follow();
    await reflector.start();
    expect(reflector.list()).toHaveLength(8);
    expect(reflector.get('m0')).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(reflector.get('m0')?.metadata).not.toHaveProperty('managedFields');
    expect(count(({ watches }) => !watches)).toBe(3);
    await put('m0', 'Gĩkũyũ');
    for (let n = 1; n < 8; n++) await remove(`m${n}`);
    await put('new');
    await shows({ m0: 'Gĩkũyũ', new: 'x' });
    expect(relists).toEqual(['start']);
  },
  TEST_MS,
);

test.each<[string, Omit<Fault, 'on'>]>([
  ['410', { status: 410, reason: 'Expired', times: 2 }],
  ['500', { status: 500, reason: 'InternalError', times: 4 }],
  ['503', { status: 503, reason: 'ServiceUnavailable', times: 4 }],
  ['429 with Retry-After', { status: 429, reason: 'TooManyRequests', retryAfterSeconds: 1, times: 2 }],
  ['403', { status: 403, reason: 'Forbidden', times: 2 }],
])(
  'after its watches were answered with %s, the reflector converges without a hot loop',
  async (_, fault) => {
    await put('a');
    await put('gone');
    const { reflector, shows } = follow();
    await reflector.start();
    await watching();
    proxy.requests.length = 0;
    const startedMs = performance.now();
    proxy.faults.push({ ...fault, on: ({ watches }) => watches });
    proxy.cutWatches();
    await remove('gone');
    await put('a', 'changed');
    await put('b');
    await shows({ a: 'changed', b: 'x' });
    await watching();
    expect(count(() => true)).toBeLessThan(20);
    if (fault.retryAfterSeconds !== undefined) {
      expect(performance.now() - startedMs).toBeGreaterThan(fault.times * fault.retryAfterSeconds * 1000 - 50);
    }
  },
  TEST_MS,
);

test(
  'the reflector converges after a 410 between two pages of a list',
  async () => {
    for (let n = 0; n < 7; n++) await put(`m${n}`);
    let pages = 0;
    const isSecond = ({ watches }: ProxyRequest) => !watches && ++pages === 2;
    proxy.faults.push({ status: 410, reason: 'Expired', times: 1, on: isSecond });
    const { reflector } = follow();
    await reflector.start();
    expect(reflector.list()).toHaveLength(7);
    expect(pages).toBe(1 + 1);
    expect(count(({ watches }) => !watches)).toBe(2 + 3);
  },
  TEST_MS,
);

test(
  'after a watch was interrupted, the reflector continues from the last event without a new list',
  async () => {
    const { reflector, relists, shows } = follow();
    await reflector.start();
    for (let n = 0; n < 3; n++) {
      await watching();
      await put(`m${n}`);
      proxy.cutWatches();
      await eventually(() => expect(proxy.openWatches()).toBe(0));
    }
    await shows({ m0: 'x', m1: 'x', m2: 'x' });
    expect(relists).toEqual(['start']);
  },
  TEST_MS,
);

test(
  'the reflector detects a watch that receives nothing although it is open, and replaces it',
  async () => {
    const { reflector, relists, shows } = follow({ idleTimeoutMs: 1500 });
    await reflector.start();
    await watching();
    proxy.holdWatches();
    await put('a');
    await shows({ a: 'x' });
    expect(relists).toEqual(['start']);
  },
  TEST_MS,
);

test(
  'when the server ends a watch after the requested time, the reflector continues with a new watch and no list',
  async () => {
    const { reflector, relists, shows } = follow({ watchSeconds: { min: 1, max: 1 } });
    await reflector.start();
    const before = count(({ watches }) => watches);
    await eventually(() => expect(count(({ watches }) => watches)).toBeGreaterThan(before + 3), 60_000);
    await put('a');
    await shows({ a: 'x' });
    expect(relists).toEqual(['start']);
  },
  TEST_MS,
);

test(
  'after the network was unavailable, the reflector catches up with few requests',
  async () => {
    await put('a');
    const { reflector, shows } = follow();
    await reflector.start();
    await watching();
    proxy.refuse(true);
    await put('b');
    await remove('a');
    await new Promise((resolve) => setTimeout(resolve, 5000));
    proxy.refuse(false);
    await shows({ b: 'x' });
    expect(count(() => true)).toBeLessThan(40);
  },
  TEST_MS,
);

test(
  'the reflector catches up after a restart of the API server',
  async () => {
    await put('a');
    const { reflector, shows } = follow();
    await reflector.start();
    await watching();
    await kubernetes.stopApiServer();
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await kubernetes.startApiServer();
    await eventually(() => put('b'), 60_000);
    await shows({ a: 'x', b: 'x' });
  },
  TEST_MS,
);
