import { createAccess } from './access.ts';
import { KubernetesError } from './kubernetes-error.ts';
import type { WatchEvent } from './api.ts';
import { createKubeApi } from './client.ts';
import type { KubeApiOptions } from './client.ts';
import { TYPES } from './objects.ts';
import type { KubeObject } from './objects.ts';
import { createTransport } from './transport.ts';
import { answer, startKubeStub, statusOf } from '../../../test/support/kubernetes/stub.ts';
import type { KubeStub, StubRequest } from '../../../test/support/kubernetes/stub.ts';

let stub: KubeStub | undefined;
let api: ReturnType<typeof createKubeApi> | undefined;

afterEach(async () => {
  api?.close();
  await stub?.stop();
});

async function setUp(handle: (request: StubRequest, count: number) => void, options: Partial<KubeApiOptions> = {}) {
  let count = 0;
  const codes: string[] = [];
  const server = await startKubeStub((request) => handle(request, ++count));
  stub = server;
  const access = createAccess(server.kubeconfig, () => performance.now());
  const client = createKubeApi({
    namespace: 'svc-asr',
    fieldManager: 'svc-asr-operator',
    access,
    transport: createTransport({ access, client: 'test', maxSockets: 4 }),
    watchTransport: createTransport({ access, client: 'test' }),
    timeoutMs: 20_000,
    retry: { tries: 3, baseMs: 1, maxMs: 5000 },
    onRequest: (verb, code) => codes.push(`${verb} ${code}`),
    ...options,
  });
  api = client;
  return { api: client, codes, requests: server.requests };
}

/** Creates a promise that the test resolves with `give`. */
function createSignal(): { given: Promise<void>; give: () => void } {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

const tenant: KubeObject = { apiVersion: 'asr.svc.dev/v1', kind: 'Tenant', metadata: { name: 'acme' }, spec: {} };

test('the Kubernetes client sends requests with the paths, queries and content types that the API server expects', async () => {
  const { api: client, requests } = await setUp(({ response }) => answer(response, 200, tenant));
  await client.apply(TYPES.Tenant, tenant);
  await client.applyStatus(TYPES.Tenant, tenant);
  await client.mergePatch(TYPES.Tenant, 'acme', { metadata: { labels: null } });
  await client.create(TYPES.Tenant, tenant);
  await client.replace(TYPES.Tenant, tenant);
  await client.delete(TYPES.Tenant, 'acme', { uid: 'u1', resourceVersion: '7' });
  const path = '/apis/asr.svc.dev/v1/namespaces/svc-asr/tenants';
  expect(
    requests.map(({ method, url, headers }) => [method, url.pathname, url.search, headers['content-type']]),
  ).toEqual([
    ['PATCH', `${path}/acme`, '?fieldManager=svc-asr-operator&force=true', 'application/apply-patch+yaml'],
    ['PATCH', `${path}/acme/status`, '?fieldManager=svc-asr-operator&force=true', 'application/apply-patch+yaml'],
    ['PATCH', `${path}/acme`, '?fieldManager=svc-asr-operator', 'application/merge-patch+json'],
    ['POST', path, '?fieldManager=svc-asr-operator&fieldValidation=Strict', 'application/json'],
    ['PUT', `${path}/acme`, '?fieldManager=svc-asr-operator&fieldValidation=Strict', 'application/json'],
    ['DELETE', `${path}/acme`, '', 'application/json'],
  ]);
  expect(JSON.parse(requests[5]!.body)).toMatchObject({
    propagationPolicy: 'Background',
    preconditions: { uid: 'u1', resourceVersion: '7' },
  });
  for (const { headers } of requests) expect(headers['user-agent']).toMatch(/^test /);
});

test('the Kubernetes client requests only metadata of a type that is marked as metadataOnly', async () => {
  const list = { items: null, metadata: { resourceVersion: '1' } };
  const { api: client, requests } = await setUp(({ response }) => answer(response, 200, list));
  expect(await client.list(TYPES.SecretMetadata)).toEqual({ ...list, items: [] });
  await client.get(TYPES.SecretMetadata, 's');
  await client.list(TYPES.Secret);
  const { signal } = new AbortController();
  const options = { resourceVersion: '1', timeoutSeconds: 1, signal, onBytes: () => undefined };
  for await (const _event of client.watch(TYPES.SecretMetadata, options)) break;
  const json = 'application/json';
  expect(requests.map(({ headers }) => headers.accept)).toEqual([
    `${json};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`,
    `${json};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`,
    json,
    `${json};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`,
  ]);
});

test('the Kubernetes client waits for the Retry-After time of a 429 and retries', async () => {
  const { api: client, codes } = await setUp(({ response }, count) =>
    count === 1
      ? answer(response, 429, statusOf(429, 'TooManyRequests'), { 'retry-after': '1' })
      : answer(response, 200, tenant),
  );
  const startedMs = performance.now();
  expect(await client.apply(TYPES.Tenant, tenant)).toEqual(tenant);
  expect(performance.now() - startedMs).toBeGreaterThan(990);
  expect(codes).toEqual(['apply 429', 'apply 200']);
});

test('the Kubernetes client retries server errors and broken connections a limited number of times', async () => {
  const { api: client, codes } = await setUp(({ response }, count) => {
    if (count % 2 === 1) answer(response, 500, statusOf(500, 'InternalError'));
    else response.destroy();
  });
  await expect(client.apply(TYPES.Tenant, tenant)).rejects.toMatchObject({ status: 500, reason: 'InternalError' });
  expect(codes).toEqual(['apply 500', 'apply 0', 'apply 500']);
});

test.each([
  [400, 'BadRequest'],
  [403, 'Forbidden'],
  [409, 'Conflict'],
  [422, 'Invalid'],
])('the Kubernetes client throws the error of a response %i without a retry', async (code, reason) => {
  const { api: client, requests } = await setUp(({ response }) => answer(response, code, statusOf(code, reason)));
  await expect(client.replace(TYPES.Tenant, tenant)).rejects.toMatchObject({ status: code, reason });
  expect(requests).toHaveLength(1);
});

test('the Kubernetes client can read and delete a missing object without an error, but fails for an unknown type', async () => {
  const { api: client } = await setUp(({ response, url }) =>
    url.pathname.includes('/tenants')
      ? answer(response, 404, statusOf(404, 'NotFound'))
      : answer(response, 404, '404 page not found'),
  );
  expect(await client.get(TYPES.Tenant, 'acme')).toBeUndefined();
  await client.delete(TYPES.Tenant, 'acme');
  await expect(client.get(TYPES.ASRModel, 'm')).rejects.toThrow('install the CRDs');
});

test('the Kubernetes client fails at the deadline if the server does not answer', async () => {
  const { api: client, codes } = await setUp(() => undefined, { timeoutMs: 100 });
  await expect(client.get(TYPES.Tenant, 'acme')).rejects.toMatchObject({ status: 0 });
  expect(codes).toEqual(['get 0']);
});

test('the Kubernetes client fails at the deadline if the body of a response stops halfway', async () => {
  const { api: client } = await setUp(
    ({ response }) => {
      response.writeHead(200, { 'content-length': 1000 });
      response.write('{"apiVersion":');
    },
    { timeoutMs: 100 },
  );
  await expect(client.get(TYPES.Tenant, 'acme')).rejects.toMatchObject({ status: 0 });
});

test('a Kubernetes client whose write gate is closed can read but not write', async () => {
  const gate = {
    pass: () => {
      throw new Error('closed');
    },
    signal: () => AbortSignal.abort(),
  };
  const { api: client, codes } = await setUp(({ response }) => answer(response, 200, tenant), { gate });
  await client.get(TYPES.Tenant, 'acme');
  for (const write of [
    () => client.apply(TYPES.Tenant, tenant),
    () => client.applyStatus(TYPES.Tenant, tenant),
    () => client.create(TYPES.Tenant, tenant),
    () => client.replace(TYPES.Tenant, tenant),
    () => client.mergePatch(TYPES.Tenant, 'acme', {}),
    () => client.delete(TYPES.Tenant, 'acme'),
  ]) {
    await expect(write()).rejects.toThrow('closed');
  }
  expect(codes.filter((code) => code.endsWith(' 200'))).toEqual(['get 200']);
  expect(stub?.requests).toHaveLength(1);
});

test('a Kubernetes client aborts a write in progress, without a retry, when its write gate closes', async () => {
  const lead = new AbortController();
  const gate = { pass: () => lead.signal.throwIfAborted(), signal: () => lead.signal };
  const arrived = createSignal();
  const { api: client, requests } = await setUp(() => arrived.give(), { gate });
  const writing = client.apply(TYPES.Tenant, tenant);
  const refused = expect(writing).rejects.toThrow('lost');
  await arrived.given;
  lead.abort(new Error('lost'));
  await refused;
  expect(requests).toHaveLength(1);
});

test('the Kubernetes client opens at most maxSockets connections', async () => {
  const waiting: StubRequest[] = [];
  let most = 0;
  const { api: client } = await setUp((request) => {
    waiting.push(request);
    most = Math.max(most, waiting.length);
    setTimeout(() => {
      waiting.splice(waiting.indexOf(request), 1);
      answer(request.response, 200, tenant);
    }, 5);
  });
  await Promise.all(Array.from({ length: 50 }, () => client.get(TYPES.Tenant, 'acme')));
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(4);
});

describe('a watch of the Kubernetes client', () => {
  async function watch(client: ReturnType<typeof createKubeApi>, signal = new AbortController().signal) {
    const events: WatchEvent[] = [];
    const how = { resourceVersion: '7', timeoutSeconds: 300, signal, onBytes: () => undefined };
    for await (const event of client.watch(TYPES.Tenant, how)) events.push(event);
    return events;
  }

  test('requests bookmarks and a timeout, and returns each event, even if the network splits a character', async () => {
    const { api: client, requests } = await setUp(({ response }) => {
      response.writeHead(200);
      const lines = Buffer.from(
        ['ADDED', 'BOOKMARK'].map((type) => `${JSON.stringify({ type, object: { ...tenant, spec: 'ũ' } })}\n`).join(''),
      );
      // The first part ends within a character.
      const cut = lines.indexOf(0xc5) + 1;
      response.write(lines.subarray(0, cut));
      setTimeout(() => response.end(lines.subarray(cut)), 20);
    });
    const events = await watch(client);
    expect(events.map(({ type, object }) => [type, object.spec])).toEqual([
      ['ADDED', 'ũ'],
      ['BOOKMARK', 'ũ'],
    ]);
    expect(Object.fromEntries(requests[0]!.url.searchParams)).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: '7',
      timeoutSeconds: '300',
    });
  });

  test('throws an error with the HTTP status if the server refuses the watch', async () => {
    const { api: client, codes } = await setUp(({ response }) => answer(response, 410, statusOf(410, 'Expired')));
    await expect(watch(client)).rejects.toMatchObject({ status: 410, reason: 'Expired' });
    expect(codes).toEqual(['watch 410']);
  });

  test('throws a KubernetesError when its signal is aborted, and closes its connection', async () => {
    const ending = new AbortController();
    const closed = createSignal();
    const { api: client } = await setUp(({ response }) => {
      response.on('close', () => closed.give());
      response.writeHead(200);
      response.flushHeaders();
      setTimeout(() => ending.abort(new Error('enough')), 20);
    });
    const failure: unknown = await watch(client, ending.signal).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(KubernetesError);
    expect(failure).toMatchObject({ status: 0, message: expect.stringContaining('enough') });
    await closed.given;
  });
});
