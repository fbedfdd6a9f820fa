import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AsrSession } from '@svc-asr/core';
import { parseKeyring, PLAYGROUND_SESSIONS_PATH, signInternalRequest } from '@svc-asr/runtime';
import { WebSocket } from 'ws';
import { send } from '../support/answer.ts';
import type { Answer } from '../support/answer.ts';
import type { TenantRequest } from '../support/admin.ts';
import { eventually } from '../support/eventually.ts';
import { keyIdOf } from '../support/key.ts';
import { modelYaml } from '../support/model.ts';
import { errorOf, refusal, sessionOf } from '../support/refusals.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../support/service.ts';
import type { Service } from '../support/service.ts';

const KIKUYU = 'svc-asr-kikuyu-v1';
const DHOLUO = 'svc-asr-dholuo-v1';
const FULL = 'svc-asr-full-v1';

let service: Service;
let consoleUrl: string;
let internalUrl: string;
beforeAll(async () => {
  service = await startService({ config: { 'full.yaml': modelYaml(FULL, { max: 0 }) } });
  const ports = JSON.parse(readFileSync(join(service.home, 'ports.json'), 'utf8')) as Record<string, number>;
  consoleUrl = `https://localhost:${ports.console}`;
  internalUrl = `https://127.0.0.1:${ports.gatewayInternal}`;
}, START_TIMEOUT_MS);
afterAll(stopServices, START_TIMEOUT_MS);

/** Signs in to the console as a new tenant. `create` of the result creates playground sessions. */
async function visitor(request: TenantRequest = {}): Promise<{
  name: string;
  key: string;
  create: (body?: unknown) => Promise<Answer>;
  /** Returns the entries of a list that the console serves at this path. */
  list: (path: string) => Promise<Record<string, unknown>[]>;
}> {
  const tenant = await service.tenant(request);
  const link = await service.admin.call('POST', `/tenants/${tenant.name}/sign-in`);
  const body = { token: (link.body as { token: string }).token };
  const headers = { 'content-type': 'application/json', 'x-svc-asr-console': '1' };
  const signedIn = await send(`${consoleUrl}/console/v1/sign-in`, { method: 'POST', ca: service.ca, headers, body });
  const cookie = signedIn.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const create = (wanted: unknown = { model: KIKUYU, max_audio_seconds: 5 }) =>
    send(`${consoleUrl}/console/v1/playground/sessions`, {
      method: 'POST',
      ca: service.ca,
      headers: { ...headers, cookie },
      body: wanted,
    });
  const list = async (path: string) => {
    const answer = await send(`${consoleUrl}/console/v1/${path}`, { ca: service.ca, headers: { cookie } });
    return (answer.body as { data: Record<string, unknown>[] }).data;
  };
  return { ...tenant, create, list };
}

/** Sends a request to the internal port, as the console does. */
function sendInternally(body: string, changes: { signed?: string; key?: string; sent?: string } = {}): Promise<Answer> {
  const peppers = parseKeyring(readFileSync(join(service.home, 'secrets', 'api-key-peppers.json'), 'utf8'));
  const idempotencyKey = changes.key ?? randomUUID();
  const signed = { method: 'POST', path: PLAYGROUND_SESSIONS_PATH, idempotencyKey, body: changes.signed ?? body };
  return send(internalUrl + PLAYGROUND_SESSIONS_PATH, {
    method: 'POST',
    ca: service.ca,
    headers: {
      'content-type': 'application/json',
      'idempotency-key': changes.sent ?? idempotencyKey,
      authorization: signInternalRequest(signed, peppers, Date.now()),
    },
    body,
  });
}

test('a playground session has the fields of an API session, opens a stream, and reserves credit until it ends', async () => {
  const { create, name } = await visitor({ seconds: 60 });
  const answer = await create();
  const session = sessionOf(answer);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(session).toMatchObject({
    object: 'asr.session',
    model: KIKUYU,
    credits: { unit: 'audio_second', reserved: 5, remaining: 55 },
  });
  expect(session.websocket_url).toMatch(/^wss:\/\//);
  expect((await service.admin.account(name)).credits.reserved_ms).toBe(5000);
  await streamNothing(session);
  await eventually('the session is settled', 30_000, async () => {
    return (await service.admin.account(name)).credits.reserved_ms === 0;
  });
});

test.each<[string, TenantRequest, unknown, string]>([
  ['a suspended account', { state: 'Suspended' }, {}, 'account_inactive'],
  ['a model that does not exist', {}, { model: 'none' }, 'model_not_found'],
  ['a model that the account may not use', { models: [DHOLUO] }, {}, 'model_scope_denied'],
  ['an account without credit', { seconds: 0 }, {}, 'insufficient_credits'],
  ['a model without capacity', {}, { model: FULL }, 'no_capacity'],
  ['a request without a model', {}, { model: undefined }, 'invalid_parameters'],
  ['a session that is too long', {}, { max_audio_seconds: 301 }, 'invalid_parameters'],
])('the playground refuses %s with the error code of the public API', async (_what, request, change, code) => {
  const { create } = await visitor(request);
  expect(refusal(await create({ model: KIKUYU, max_audio_seconds: 5, ...(change as object) }))).toBe(code);
});

test.each([
  ['session rate', { sessionsPerMinute: 1 }, 'rate_limit_exceeded'],
  ['concurrency', { concurrentSessions: 1 }, 'concurrency_limit_exceeded'],
])(
  'the %s limit of an account refuses a playground session, and the refusal contains Retry-After',
  async (_what, limits, code) => {
    const { create, key } = await visitor({ limits });
    sessionOf(await service.create(key, { model: KIKUYU, max_audio_seconds: 5 }));
    const answer = await create();
    expect(refusal(answer)).toBe(code);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  },
);

test('the playground refuses a browser that is not signed in', async () => {
  const headers = { 'content-type': 'application/json', 'x-svc-asr-console': '1' };
  const url = `${consoleUrl}/console/v1/playground/sessions`;
  const answer = await send(url, { method: 'POST', ca: service.ca, headers, body: { model: KIKUYU } });
  expect(answer.status).toBe(401);
  expect(answer.body).toMatchObject({ error: { code: 'not_signed_in' } });
});

test('the internal port returns the same session for a repeated signed request and reserves no further credit', async () => {
  const { name } = await service.tenant({ seconds: 60 });
  const body = JSON.stringify({ tenant: name, model: KIKUYU, max_audio_seconds: 5 });
  const key = randomUUID();
  const session = sessionOf(await sendInternally(body, { key }));
  expect(sessionOf(await sendInternally(body, { key }))).toStrictEqual(session);
  expect((await service.admin.account(name)).credits.reserved_ms).toBe(5000);
});

test('the internal port refuses a request whose body or Idempotency-Key was not signed', async () => {
  const { name, key } = await service.tenant();
  const body = JSON.stringify({ tenant: name, model: KIKUYU });
  expect(refusal(await sendInternally(body, { signed: body.replace(name, 'local') }))).toBe('invalid_api_key');
  expect(refusal(await sendInternally(body, { sent: randomUUID() }))).toBe('invalid_api_key');
  expect(refusal(await sendInternally(body, { key: '' }))).toBe('invalid_api_key');
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  const unsigned = { method: 'POST', ca: service.ca, headers, body };
  expect(refusal(await send(internalUrl + PLAYGROUND_SESSIONS_PATH, unsigned))).toBe('invalid_api_key');
  expect(refusal(await sendInternally(JSON.stringify({ model: KIKUYU })))).toBe('invalid_parameters');
});

test('the public port does not serve the internal route, and the internal port does not serve GET /v1/usage', async () => {
  const { key } = await service.tenant();
  const asked = { method: 'POST', ca: service.ca, headers: { authorization: `Bearer ${key}` } };
  expect(refusal(await send(service.baseUrl + PLAYGROUND_SESSIONS_PATH, asked))).toBe('not_found');
  expect(refusal(await send(`${internalUrl}/v1/usage`, { ...asked, method: 'GET' }))).toBe('not_found');
});

test('the console shows which key and which request created a session, and which sessions the playground created', async () => {
  const { key, create, list } = await visitor();
  const api = await service.create(key, { model: KIKUYU, max_audio_seconds: 5 });
  const playground = sessionOf(await create());
  const rows = await list('sessions');
  expect(rows).toHaveLength(2);
  expect(rows).toContainEqual(
    expect.objectContaining({
      id: sessionOf(api).id,
      source: 'api',
      key_id: keyIdOf(key),
      request_id: api.headers['x-request-id'],
      reserved_ms: 5000,
    }),
  );
  expect(rows).toContainEqual(
    expect.objectContaining({ id: playground.id, source: 'playground', key_id: null, reserved_ms: 5000 }),
  );
  expect(await list(`sessions?key_id=${keyIdOf(key)}`)).toHaveLength(1);
});

test('the console shows refused requests of a key, of a revoked key, of a realtime handshake and of the playground', async () => {
  const { name, key, create, list } = await visitor({ models: [DHOLUO] });
  const revoked = await service.admin.key(name);
  await service.admin.revoke(revoked);
  const path = '/v1/asr/sessions';
  const scope = { path, status: 403, code: 'model_scope_denied', model: KIKUYU };
  const [denied, invalid] = [await service.create(key), await service.create(key, { model: KIKUYU, key: revoked })];
  const late = await eventually('the key is revoked', 30_000, async () => {
    const answer = await service.usage(revoked);
    return answer.status === 401 ? answer : undefined;
  });
  const inPage = await create();
  const realtime = await send(`${service.baseUrl}/v1/realtime?intent=transcription&model=none`, {
    ca: service.ca,
    headers: {
      authorization: `Bearer ${key}`,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
    },
  });
  expect(refusal(realtime)).toBe('model_not_found');
  const expected = [
    { ...scope, key_id: keyIdOf(key), request_id: denied.headers['x-request-id'] },
    {
      path,
      status: 400,
      code: 'invalid_parameters',
      key_id: keyIdOf(key),
      request_id: invalid.headers['x-request-id'],
    },
    { path: '/v1/usage', code: 'revoked_api_key', key_id: keyIdOf(revoked), request_id: late.headers['x-request-id'] },
    { ...scope, path: PLAYGROUND_SESSIONS_PATH, key_id: null, request_id: errorOf(inPage).request_id },
    { path: '/v1/realtime', code: 'model_not_found', key_id: keyIdOf(key), model: 'none' },
  ];
  const rows = await eventually('all refusals are recorded', 30_000, async () => {
    const found = await list('refusals');
    return found.length >= expected.length ? found : undefined;
  });
  for (const row of expected) expect(rows).toContainEqual(expect.objectContaining(row));
  expect(JSON.stringify(rows)).not.toContain(revoked);
  expect(await list(`refusals?request_id=${String(denied.headers['x-request-id'])}`)).toHaveLength(1);
});

/** Opens the stream of a session and closes it without audio. */
async function streamNothing({ websocket_url: url, websocket_protocols: protocols }: AsrSession): Promise<void> {
  const socket = new WebSocket(url, protocols, { ca: service.ca });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.close(1000);
  await closed;
}
