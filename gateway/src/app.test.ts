import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { renderDocuments } from '@svc-asr/api-docs';
import {
  generateApiKey,
  KEY_SCOPES,
  REALTIME_PATH,
  sessionPath,
  SESSIONS_PATH,
  streamPath,
  TRANSCRIPTIONS_PATH,
} from '@svc-asr/core';
import type { ErrorBody, KeyScope } from '@svc-asr/core';
import type { KeyRecord } from '@svc-asr/ledger';
import { createMetrics, parseKeyring } from '@svc-asr/runtime';
import { createHandler } from './app.ts';
import type { AppParts } from './app.ts';
import { RateBlocks } from './auth/rate-blocks.ts';
import { RefusalDelay } from './auth/refusal-delay.ts';
import { createGatewayKeys } from './auth/keys.ts';
import type { RefusalLog, RefusedRequest } from './http/refusal-log.ts';
import { createGatewayMetrics } from './metrics.ts';

/** Scope that each route requires, or `public`. A new route must be added here. */
const ACCESS: Readonly<Record<string, KeyScope | 'public'>> = {
  [`POST ${SESSIONS_PATH}`]: 'sessions:create',
  [`GET ${sessionPath(':id')}`]: 'usage:read',
  [`DELETE ${sessionPath(':id')}`]: 'sessions:create',
  [`POST ${TRANSCRIPTIONS_PATH}`]: 'sessions:create',
  'GET /v1/models': 'public',
  'GET /v1/usage': 'usage:read',
  // This entry is about a plain GET. A WebSocket handshake on this path requires the credential of its session.
  [`GET ${streamPath(':id')}`]: 'public',
  // This entry is about a plain GET. A WebSocket handshake on this path requires the scope sessions:create, which
  // another test checks.
  [`GET ${REALTIME_PATH}`]: 'public',
  'GET /openapi.json': 'public',
  'GET /asyncapi.json': 'public',
  'GET /docs': 'public',
  'GET /': 'public',
};

interface Layer {
  route?: { path: string; methods: Record<string, boolean | undefined>; stack: { method?: string }[] };
  handle: { stack?: Layer[] };
}

const PEPPER = Buffer.alloc(32, 1);
const keyring = parseKeyring(JSON.stringify({ current: 'p1', secrets: { p1: PEPPER.toString('base64') } }));
const records = new Map<string, KeyRecord>();
const REFUSED = {
  state: 'Active',
  allowed: false,
  rate: { limit: 60, remaining: 0, resetS: 30 },
  retryAfterMs: 30_000,
};
let ledgerIsAvailable = true;
/** Number of refusals that were delayed. */
let delays = 0;
class CountingDelay extends RefusalDelay {
  override wait(...args: Parameters<RefusalDelay['wait']>): Promise<void> {
    delays++;
    return super.wait(...args);
  }
}
const parts = {
  settings: {
    TRUSTED_PROXIES: [],
    API_KEY_PEPPERS: keyring,
    SESSION_SECRETS: keyring,
    PUBLIC_URL: 'https://asr.example.com',
    KEY_CACHE_TTL_MS: 1000,
    KEY_LAST_USED_INTERVAL_MS: 1000,
    AUTH_FAILURES_PER_SECOND: 1000,
    REQUEST_DEADLINE_MS: 60_000,
    CONNECTION_MAX_AGE_MS: 0,
    CONSOLE_URL: '',
    EXAMPLE_CA_FILE: '',
    FILES_MAX: 8,
  },
  logger: { info: () => undefined, error: () => undefined },
  metrics: createGatewayMetrics(createMetrics('gateway')),
  ledger: {
    now: () => Date.now(),
    admit: (tenant: string) =>
      Promise.resolve(
        tenant.startsWith('over-')
          ? REFUSED
          : { state: 'Active', allowed: true, rate: { limit: 1, remaining: 1, resetS: 1 } },
      ),
    apiKeys: { find: (keyId: string) => Promise.resolve(records.get(keyId)), touch: () => Promise.resolve() },
    accounts: { usage: () => Promise.resolve(undefined) },
    sessionAccess: {
      get: () => Promise.resolve(undefined),
      delete: () => Promise.resolve({ outcome: 'unknown' }),
    },
  },
  catalogue: { entries: () => [], has: () => false },
  ledgerWatch: { isAvailable: () => ledgerIsAvailable, require: () => undefined, verify: () => Promise.resolve() },
  rateBlocks: new RateBlocks(),
  refusalDelay: new CountingDelay(1),
  cancellations: { add: () => undefined },
  shutdown: { announced: false, closed: false },
  documents: renderDocuments(),
  tracing: undefined,
} as unknown as Omit<AppParts, 'keys'>;
const refused: RefusedRequest[] = [];
const refusals = { record: (request: RefusedRequest) => void refused.push(request) } as unknown as RefusalLog;
const { handler, app } = createHandler({ ...parts, refusals, keys: createGatewayKeys(parts.settings, parts) });
/** Number of requests that the app received. The handler in front of the app has refused all other requests. */
let passed = 0;
const { handle } = app as unknown as { handle: (...exchange: unknown[]) => void };
Object.assign(app, {
  handle: (...exchange: unknown[]) => {
    passed++;
    handle.apply(app, exchange);
  },
});

let server: Server;
let address: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => (server = createServer(handler).listen(0, '127.0.0.1', resolve)));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Returns the routes of an Express router and of its nested routers, as `METHOD /path`. */
function routesOf(layers: readonly Layer[]): string[] {
  return layers.flatMap(({ route, handle }) => {
    if (route === undefined) return routesOf(handle.stack ?? []);
    const methods = new Set(route.stack.flatMap(({ method }) => method ?? []));
    return [...methods].map((method) => `${method.toUpperCase()} ${route.path}`);
  });
}

function createKey(scopes: readonly KeyScope[] | undefined, tenant = 'acme'): string {
  const { key, keyId } = generateApiKey(randomBytes);
  const hash = createHmac('sha256', PEPPER).update(key).digest('hex');
  const record = { tenant, hash, pepperId: 'p1', expiresAtMs: null, revoked: false };
  records.set(keyId, scopes === undefined ? record : { ...record, scopes });
  return key;
}

/** Sends a request and returns the code of its error. Returns '' if the request succeeds. */
async function codeOf(route: string, key: string | undefined): Promise<string> {
  const [method = '', path = ''] = route.split(' ');
  // The start page is served only to browsers, which accept HTML.
  const headers = { accept: 'text/html, */*', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };
  const response = await fetch(address + path, { method, headers });
  return response.ok ? '' : ((await response.json()) as ErrorBody).error.code;
}

const keyed = Object.entries(ACCESS).filter((entry): entry is [string, KeyScope] => entry[1] !== 'public');

test('the table ACCESS of this test lists every route of the gateway', () => {
  const { stack } = app.router as unknown as { stack: Layer[] };
  expect(routesOf(stack).sort()).toEqual(Object.keys(ACCESS).sort());
});

test('every API key scope is required by at least one route', () => {
  expect(new Set(keyed.map(([, scope]) => scope))).toEqual(new Set(KEY_SCOPES));
});

test.each(keyed)(
  '%s requires an API key with the scope %s, or an API key that is not limited to scopes',
  async (route, scope) => {
    expect(await codeOf(route, undefined)).toBe('missing_api_key');
    const others = KEY_SCOPES.filter((other) => other !== scope);
    for (const scopes of [others, []]) expect(await codeOf(route, createKey(scopes))).toBe('key_scope_denied');
    for (const scopes of [[scope], [...KEY_SCOPES], undefined]) {
      expect(await codeOf(route, createKey(scopes))).not.toMatch(/_api_key$|key_scope_denied/);
    }
  },
);

test.each(Object.keys(ACCESS).filter((route) => ACCESS[route] === 'public'))(
  '%s requires no API key',
  async (route) => {
    expect(await codeOf(route, undefined)).toMatch(/^(invalid_parameters)?$/);
  },
);

test('one tenant can send at most half of FILES_MAX files at a time, and another tenant can then still send a file', async () => {
  const noisy = createKey(undefined, 'noisy');
  const headers = { authorization: `Bearer ${noisy}`, 'content-type': 'multipart/form-data; boundary=x' };
  // None of these uploads ends, so only a refused one is answered.
  const uploads = Array.from({ length: parts.settings.FILES_MAX / 2 + 1 }, () => {
    const upload = request(`${address}${TRANSCRIPTIONS_PATH}`, { method: 'POST', headers, agent: false });
    upload.on('error', () => undefined);
    upload.write('--x\r\n');
    return upload;
  });
  const codes = uploads.map(async (upload) => {
    const [response] = (await once(upload, 'response')) as [IncomingMessage];
    return ((await json(response)) as ErrorBody).error.code;
  });
  expect(await Promise.race(codes)).toBe('concurrency_limit_exceeded');
  expect(await codeOf(`POST ${TRANSCRIPTIONS_PATH}`, createKey(undefined, 'other'))).toBe('unsupported_media_type');
  const ends = Promise.allSettled(codes);
  for (const upload of uploads) upload.destroy();
  expect((await ends).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('the gateway delays responses to an address that has sent many wrong API keys within a second', async () => {
  const before = delays;
  const wrong = () => generateApiKey(randomBytes).key;
  const send = () => fetch(`${address}/v1/usage`, { headers: { authorization: `Bearer ${wrong()}` } });
  const answers = await Promise.all(Array.from({ length: 30 }, send));
  expect(answers.every(({ status }) => status === 401)).toBe(true);
  expect(delays - before).toBeGreaterThan(0);
});

describe('a tenant that keeps exceeding its request rate', () => {
  const send = async (key: string, { method = 'POST', path = SESSIONS_PATH } = {}) => {
    const before = passed;
    const response = await fetch(address + path, { method, headers: { authorization: `Bearer ${key}` } });
    const {
      'x-request-id': id = '',
      date: _date,
      ratelimit: _state,
      ...headers
    } = Object.fromEntries(response.headers);
    const text = (await response.text()).replace(id, 'ID');
    return { id, isEarly: passed === before, answer: { status: response.status, headers, text } };
  };
  /**
   * Sends ten requests, which the app refuses. Returns the tenth response. The handler in front of the app refuses all
   * later requests.
   */
  const exceed = async (key: string) => {
    for (let i = 0; i < 9; i++) await send(key);
    return send(key);
  };

  test('gets the same refusal from the Express app as from the handler in front of it, and both refusals are recorded with the same fields', async () => {
    const key = createKey(undefined, 'over-1');
    const late = await exceed(key);
    const early = await send(key);
    expect([late.isEarly, early.isEarly]).toEqual([false, true]);
    expect(early.answer).toEqual(late.answer);
    expect(early.answer).toMatchObject({ status: 429, headers: { 'retry-after': '30' } });
    const [one, other] = [late, early].map(({ id }) => refused.find(({ requestId }) => requestId === id));
    expect(other).toMatchObject({ tenant: 'over-1', code: 'rate_limit_exceeded', route: SESSIONS_PATH });
    expect({ ...other, requestId: '' }).toEqual({ ...one, requestId: '' });
  });

  test('gets its first ten refusals at once, and further refusals after a delay', async () => {
    const key = createKey(undefined, 'over-4');
    const before = delays;
    await exceed(key);
    expect(delays).toBe(before);
    await send(key);
    expect(delays).toBe(before + 1);
    await send(key, { path: '/v1/usage', method: 'GET' });
    expect(delays).toBe(before + 2);
  });

  test('is refused by the handler in front of the Express app only at POST /v1/asr/sessions, and only while the ledger is available', async () => {
    const key = createKey(undefined, 'over-2');
    await exceed(key);
    expect((await send(key)).isEarly).toBe(true);
    expect((await send(key, { method: 'GET' })).isEarly).toBe(false);
    expect((await send(key, { path: '/v1/usage', method: 'GET' })).isEarly).toBe(false);
    ledgerIsAvailable = false;
    expect((await send(key)).isEarly).toBe(false);
    ledgerIsAvailable = true;
    expect((await send(key)).isEarly).toBe(true);
  });

  test('does not make the handler in front of the Express app refuse requests with a key of another tenant, or with a wrong or revoked key of this tenant', async () => {
    const key = createKey(undefined, 'over-3');
    await exceed(key);
    const revoked = createKey(undefined, 'over-3');
    for (const [id, record] of records) if (revoked.includes(id)) records.set(id, { ...record, revoked: true });
    const wrong = key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A');
    for (const other of [createKey(undefined), revoked, wrong]) expect((await send(other)).isEarly).toBe(false);
    expect((await send(key)).isEarly).toBe(true);
  });
});
