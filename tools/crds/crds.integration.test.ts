import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { API_GROUP, checkResource, KINDS, showAudioMs } from '@svc-asr/core';
import { eventually } from '../../test/support/eventually.ts';
import type { Kubernetes } from '../../test/support/kubernetes.ts';
import { borrowKubernetes, KUBERNETES_TIMEOUT_MS } from '../../test/support/kubernetes.ts';
import { demand } from '../../test/support/kubernetes/request.ts';
import { root } from '../launch/terminal.mjs';
import { EXAMPLES } from './examples.ts';
import { pluralOf } from './kinds.ts';
import type { Api } from './testing/api.ts';
import { createApi } from './testing/api.ts';
import { apiKey, invitation, member, model, tenant } from './testing/resources.ts';
import { RULE_CASES } from './testing/rule-cases.ts';

const SINCE = '2026-01-01T00:00:00Z';
const condition = (type: string, status: string, reason: string) => ({
  type,
  status,
  reason,
  message: 'set by a test',
  lastTransitionTime: SINCE,
  observedGeneration: 1,
});

let cluster: Kubernetes;
let api: Api;
let namespace: string;

beforeAll(async () => {
  cluster = await borrowKubernetes();
}, KUBERNETES_TIMEOUT_MS);
afterAll(() => cluster.stop(), KUBERNETES_TIMEOUT_MS);
beforeEach(async () => {
  namespace = await cluster.createNamespace();
  api = createApi(cluster, namespace);
});

interface Seen {
  spec: { grants?: { id: string }[] };
  status?: { conditions?: { type: string; status: string }[] };
}

/** Returns the object of a successful response. */
const seen = async (answer: ReturnType<Kubernetes['request']>) => (await demand(answer)) as Seen;
const get = (where: string) => seen(cluster.request('GET', where));
const path = (kind: 'asrmodels' | 'tenants' | 'apikeys', rest: string) =>
  `/apis/${API_GROUP}/v1/namespaces/${namespace}/${kind}/${rest}`;
const patch = (where: string, body: object) => cluster.request('PATCH', where, body, 'application/merge-patch+json');
const kubectl = (...args: string[]) => cluster.kubectl(['--namespace', namespace, ...args]);
const apply = (text: string) => cluster.kubectl(['--namespace', namespace, 'apply', '-f', '-'], text);
/** Splits the output of kubectl into cells. Columns are separated by at least two spaces. */
const cells = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s{2,}/));
/** Removes the last column, the age, which differs from run to run. */
const withoutAge = (text: string) => cells(text).map((row) => row.slice(0, -1));

test.each(KINDS)('the API server establishes the definition of %s with a structural schema', async (kind) => {
  const name = `${pluralOf(kind)}.${API_GROUP}`;
  const { status: shown } = await get(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`);
  const states = shown?.conditions?.map(({ type, status }) => [type, status] as const) ?? [];
  // A schema that is not structural has a condition NonStructuralSchema.
  expect(Object.fromEntries(states)).toEqual({ NamesAccepted: 'True', Established: 'True' });
});

test.each(RULE_CASES.map((rule) => [rule.message, rule] as const))(
  'the API server enforces the rule: %s',
  async (_message, { message, field, before, refused, accepted }) => {
    if (before !== undefined) expect(await api.create(before)).toMatchObject({ ok: true });
    const ask: Api['replace'] = before === undefined ? (sent) => api.create(sent, { dryRun: true }) : api.replace;
    for (const resource of refused) {
      const verdict = await ask(resource);
      expect(verdict).toMatchObject({ ok: false });
      expect(verdict.ok ? [] : verdict.causes).toContainEqual(
        expect.objectContaining({ field, message: expect.stringContaining(message) }),
      );
    }
    for (const resource of accepted) expect(await ask(resource)).toMatchObject({ ok: true });
  },
);

test.each([
  ['ASRModel', model()] as const,
  ['Tenant', tenant()] as const,
  ['ApiKey', apiKey()] as const,
  ['Member', member()] as const,
])('the API server and checkResource set the same defaults for a minimal %s', async (_kind, resource) => {
  const stored = await api.create(resource);
  const checked = checkResource(resource);
  expect(checked.ok).toBe(true);
  expect(stored).toMatchObject({ ok: true, stored: { spec: checked.ok ? checked.value.spec : undefined } });
});

test('the API server treats null as absent, and checkResource rejects it', async () => {
  const resource = tenant({ limits: { concurrentSessions: null }, contact: null });
  expect(await api.create(resource, { dryRun: true })).toMatchObject({
    ok: true,
    stored: { spec: { limits: { concurrentSessions: 1 } } },
  });
  expect(checkResource(resource).ok).toBe(false);
});

test('the API server accepts the examples of the docs and stores them as valid resources', async () => {
  await apply(Object.values(EXAMPLES).join('---\n'));
  const { items } = JSON.parse(await kubectl('get', 'asr', '-o', 'json')) as { items: { kind: string }[] };
  expect(items.map(({ kind }) => kind).sort()).toEqual(['ASRModel', 'ApiKey', 'Member', 'Tenant']);
  for (const item of items) expect(checkResource(item)).toMatchObject({ ok: true, value: item });
});

test('kubectl get asrmodels shows readiness, workers, sessions, waiting sessions and revision', async () => {
  await api.create(model({ scaling: { max: 20 } }, 'svc-asr-kikuyu-v1'));
  await api.create(model({}, 'svc-asr-new-v1'));
  const status = {
    replicas: 4,
    readyReplicas: 3,
    workers: '3/4',
    sessions: '351/480',
    revision: '6f1c2d3e4a5b',
    slots: { total: 480, active: 351, reserved: 12, waiting: 7 },
    conditions: [condition('Available', 'True', 'WorkersReady')],
  };
  expect(await patch(path('asrmodels', 'svc-asr-kikuyu-v1/status'), { status })).toMatchObject({ status: 200 });
  expect(withoutAge(await kubectl('get', 'asrmodels'))).toEqual([
    ['NAME', 'READY', 'WORKERS', 'SESSIONS', 'WAITING', 'REVISION'],
    ['svc-asr-kikuyu-v1', 'True', '3/4', '351/480', '7', '6f1c2d3e4a5b'],
    ['svc-asr-new-v1'],
  ]);
  const [head, row] = cells(await kubectl('get', 'asrm', '-o', 'wide'));
  expect(head?.slice(-5)).toEqual(['LANGUAGE', 'MODE', 'MIN', 'MAX', 'REASON']);
  expect(row?.slice(-5)).toEqual(['Kikuyu', 'Sessions', '0', '20', 'WorkersReady']);
});

test('kubectl get tenants shows the state, credits, monthly budget and live sessions', async () => {
  await api.create(tenant({ displayName: 'Acme Radio', state: 'Active', priority: 'high' }, 'acme-radio'));
  const amounts = { availableMs: 3_512_000, reservedMs: 60_000, consumedMs: 28_000, checkpointAt: SINCE };
  const renewsAt = '2030-02-01T00:00:00Z';
  const credits = {
    ...amounts,
    available: showAudioMs(amounts.availableMs),
    reserved: showAudioMs(amounts.reservedMs),
    consumed: showAudioMs(amounts.consumedMs),
    budget: { month: '2030-01', remainingMs: 72_000, usedMs: 28_000, grantedMs: 100_000, renewsAt, remaining: '1m12s' },
  };
  const status = { credits, liveSessions: 1, ledgerId: 'l1', conditions: [condition('Ready', 'True', 'InForce')] };
  expect(await patch(path('tenants', 'acme-radio/status'), { status })).toMatchObject({ status: 200 });
  expect(withoutAge(await kubectl('get', 'tenants'))).toEqual([
    ['NAME', 'STATE', 'AVAILABLE', 'RESERVED', 'CONSUMED', 'BUDGET', 'RENEWS', 'LIVE'],
    ['acme-radio', 'Active', '58m32s', '1m', '28s', '1m12s', renewsAt, '1'],
  ]);
  const [head, row] = cells(await kubectl('get', 'asrt', '-o', 'wide'));
  expect(head?.slice(-4)).toEqual(['NAME', 'PRIORITY', 'READY', 'REASON']);
  expect(row?.slice(-4)).toEqual(['Acme Radio', 'high', 'True', 'InForce']);
});

test('kubectl get apikeys shows tenant, name, last four characters, expiry and readiness', async () => {
  await api.create(apiKey({ tenant: 'acme-radio', displayName: 'production', expiresAt: null }));
  const status = { expires: 'never', lastUsedAt: SINCE, conditions: [condition('Ready', 'True', 'InForce')] };
  expect(await patch(path('apikeys', '8fk2pq9xlm/status'), { status })).toMatchObject({ status: 200 });
  expect(withoutAge(await kubectl('get', 'apikeys'))).toEqual([
    ['NAME', 'TENANT', 'NAME', 'LAST FOUR', 'EXPIRES', 'READY'],
    ['8fk2pq9xlm', 'acme-radio', 'production', 'x7Qa', 'never', 'True'],
  ]);
  const [head] = cells(await kubectl('get', 'asrk', '-o', 'wide'));
  expect(head?.slice(-2)).toEqual(['LAST USED', 'REASON']);
});

test('kubectl get members shows tenant, role, name, email address and the end of a pending invitation', async () => {
  await api.create(member({ tenant: 'acme-radio', name: 'Grace', email: 'grace@acme.example' }, 'grace'));
  await api.create(invitation({ tenant: 'acme-radio', name: 'Ada', email: 'ada@acme.example' }, 'invited'));
  expect(withoutAge(await kubectl('get', 'members'))).toEqual([
    ['NAME', 'TENANT', 'ROLE', 'NAME', 'EMAIL', 'INVITED UNTIL'],
    ['grace', 'acme-radio', 'owner', 'Grace', 'grace@acme.example'],
    ['invited', 'acme-radio', 'viewer', 'Ada', 'ada@acme.example', '2030-01-01T00:00:00Z'],
  ]);
  const [head] = cells(await kubectl('get', 'asru', '-o', 'wide'));
  expect(head?.slice(-3)).toEqual(['ISSUER', 'SUBJECT', 'INVITED BY']);
});

test('the scale subresource sets the number of workers of a model in External mode', async () => {
  await api.create(model({ scaling: { mode: 'External', replicas: 1, max: 9 } }));
  const status = { replicas: 1, selector: 'asr.svc.dev/model=m' };
  await patch(path('asrmodels', 'm/status'), { status });
  await kubectl('scale', 'asrmodel/m', '--replicas=3');
  expect(await get(path('asrmodels', 'm/scale'))).toMatchObject({
    kind: 'Scale',
    spec: { replicas: 3 },
    status: { replicas: 1, selector: 'asr.svc.dev/model=m' },
  });
  expect(await kubectl('get', 'asrmodel', 'm', '-o', 'jsonpath={.spec.scaling.replicas}')).toBe('3');
});

test('the scale subresource of a model cannot be read while spec.scaling.replicas is unset, but a client can set this field through it', async () => {
  await api.create(model({ scaling: { mode: 'External', max: 9 } }));
  expect((await cluster.request('GET', path('asrmodels', 'm/scale'))).status).not.toBe(200);
  expect(await patch(path('asrmodels', 'm/scale'), { spec: { replicas: 2 } })).toMatchObject({ status: 200 });
  expect(await get(path('asrmodels', 'm/scale'))).toMatchObject({ spec: { replicas: 2 } });
});

test('the API server rejects scaling of a model in Sessions mode', async () => {
  await api.create(model());
  await expect(kubectl('scale', 'asrmodel/m', '--replicas=3')).rejects.toThrow(/set the mode to External/);
  expect(await patch(path('asrmodels', 'm/scale'), { spec: { replicas: 3 } })).toMatchObject({ status: 422 });
});

test('a model in External mode can be switched back to Sessions after another client set its replicas', async () => {
  const sent = (mode: string) => JSON.stringify(model({ scaling: { mode, max: 9 } }));
  const server = (mode: string) =>
    cluster.kubectl(
      ['--namespace', namespace, 'apply', '--server-side', '--field-manager=gitops', '-f', '-'],
      sent(mode),
    );
  for (const send of [(mode: string) => apply(sent(mode)), server]) {
    await send('External');
    await patch(path('asrmodels', 'm/scale'), { spec: { replicas: 4 } });
    await send('Sessions');
    expect(await get(path('asrmodels', 'm'))).toMatchObject({ spec: { scaling: { mode: 'Sessions', replicas: 4 } } });
    await expect(kubectl('scale', 'asrmodel/m', '--replicas=5')).rejects.toThrow(/set the mode to External/);
    expect(await patch(path('asrmodels', 'm'), { spec: { scaling: { replicas: null } } })).toMatchObject({
      status: 200,
    });
    await kubectl('delete', 'asrmodel/m');
  }
});

test('the API server ignores status in writes of the spec, and spec in writes of the status', async () => {
  await api.create({ ...tenant({ state: 'Active' }), status: { liveSessions: 9 } });
  const where = path('tenants', 't');
  expect((await get(where)).status).toBeUndefined();
  await patch(where, { status: { liveSessions: 8 }, spec: { displayName: 'New' } });
  const changed = await get(where);
  expect(changed).toMatchObject({ spec: { displayName: 'New' }, metadata: { generation: 2 } });
  expect(changed.status).toBeUndefined();
  await patch(`${where}/status`, { status: { liveSessions: 7 }, spec: { displayName: 'Newer' } });
  expect(await get(where)).toMatchObject({
    spec: { displayName: 'New' },
    status: { liveSessions: 7 },
    metadata: { generation: 2 },
  });
});

test('server-side apply lets several field managers each own their grants', async () => {
  const grants = (...ids: string[]) => ({ grants: ids.map((id) => ({ id, audioSeconds: 60 })) });
  const applyAs = (manager: string, spec: object) =>
    cluster.request(
      'PATCH',
      `${path('tenants', 't')}?fieldManager=${manager}`,
      { ...tenant(), spec },
      'application/apply-patch+yaml',
    );
  await applyAs('files', { displayName: 'T', ...grants('welcome') });
  await applyAs('console', grants('bought'));
  const { spec } = await seen(applyAs('files', { displayName: 'T', ...grants('welcome', 'second') }));
  expect(spec.grants?.map(({ id }) => id).sort()).toEqual(['bought', 'second', 'welcome']);
});

test('kubectl explain shows the description of a field', async () => {
  // The API server publishes the schema of a type some time after it serves the type.
  const explain = () => cluster.kubectl(['explain', 'asrmodel.spec.artifact.url']).catch(() => undefined);
  const text = await eventually('the schema is published', 60_000, explain);
  expect(text).toContain('HTTPS address of a .tar.gz');
});

describe('a second version of a resource, as docs/adr/0036 describes', () => {
  const group = 'conversion.svc.dev';
  const name = `tenants.${group}`;
  const definitionPath = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
  const objectPath = (version: string) => `/apis/${group}/${version}/namespaces/${namespace}/tenants/acme`;
  interface Definition {
    spec: { versions: { name: string; served: boolean; storage: boolean }[] };
    status?: { storedVersions: string[] };
  }

  /** Sets the versions of a copy of the CRD of Tenants. Waits until the API server serves all of them. */
  const setVersions = async (versions: Record<string, { storage: boolean }>) => {
    const file = join(root, 'crds', 'tenants.yaml');
    const definition = parse(readFileSync(file, 'utf8')) as Definition & { metadata: object };
    const [v1] = definition.spec.versions;
    const names = { plural: 'tenants', singular: 'tenant', kind: 'Tenant', listKind: 'TenantList' };
    const all = Object.entries(versions).map(([version, { storage }]) => ({ ...v1, name: version, storage }));
    const spec = { ...definition.spec, group, names, versions: all, conversion: { strategy: 'None' } };
    const copy = { ...definition, metadata: { name, annotations: {} }, spec };
    await cluster.kubectl(['apply', '--server-side', '-f', '-'], JSON.stringify(copy));
    for (const version of Object.keys(versions)) {
      await eventually(`the API server serves ${version}`, 60_000, async () => {
        const { status } = await cluster.request('GET', `/apis/${group}/${version}/namespaces/${namespace}/tenants`);
        return status === 200;
      });
    }
  };
  const definition = async () => (await demand(cluster.request('GET', definitionPath))) as Definition;
  const read = async (version: string) =>
    (await demand(cluster.request('GET', objectPath(version)))) as { apiVersion: string; spec: object };

  afterEach(() => cluster.kubectl(['delete', 'crd', name, '--ignore-not-found', '--wait=false']));

  test('objects of v1 are the same in v2, and v1 can be removed only after all objects are stored in v2', async () => {
    await setVersions({ v1: { storage: true } });
    const created = { displayName: 'Acme', state: 'Active', models: ['*'] };
    const metadata = { name: 'acme' };
    await apply(JSON.stringify({ apiVersion: `${group}/v1`, kind: 'Tenant', metadata, spec: created }));
    const { spec } = await read('v1');

    // Release 1: v2 is served.
    await setVersions({ v1: { storage: true }, v2: { storage: false } });
    expect(await read('v2')).toMatchObject({ apiVersion: `${group}/v2`, spec });
    await demand(patch(objectPath('v2'), { spec: { displayName: 'Changed in v2' } }));
    expect(await read('v1')).toMatchObject({ apiVersion: `${group}/v1`, spec: { displayName: 'Changed in v2' } });

    // Release 2: v2 is stored. Objects stay in v1 until they are written.
    await setVersions({ v1: { storage: false }, v2: { storage: true } });
    expect((await definition()).status?.storedVersions).toEqual(['v1', 'v2']);
    await expect(setVersions({ v2: { storage: true } })).rejects.toThrow('storedVersions');
    const all = await cluster.kubectl(['get', name, '-A', '-o', 'json']);
    await cluster.kubectl(['replace', '-f', '-'], all);
    await demand(patch(`${definitionPath}/status`, { status: { storedVersions: ['v2'] } }));
    expect(await read('v1')).toMatchObject({ apiVersion: `${group}/v1`, spec: { displayName: 'Changed in v2' } });

    await setVersions({ v2: { storage: true } });
    expect(await read('v2')).toMatchObject({ apiVersion: `${group}/v2`, spec: { displayName: 'Changed in v2' } });
  }, 180_000);
});
