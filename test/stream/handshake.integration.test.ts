import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import type { CuttingProxy } from '../support/cutting-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway } from '../support/gateway.ts';
import type { TestGateway } from '../support/gateway.ts';
import { errorOf, refusal } from '../support/refusals.ts';
import { createSession, openStream } from '../support/stream-client.ts';
import type { SessionBody } from '../support/stream-client.ts';
import { setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Caller, Stage } from './stage.ts';
import { upgrade } from './upgrade.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const FIRST = 'svc.realtime.v1';
/** Lifetime of credentials. */
const TTL_MS = 10_000;
/** Settings with short leases, so that a test can wait until a gateway crash is detected. */
const HASTY = { SESSION_TTL_MS: String(TTL_MS), PROCESS_LEASE_MS: '5000', LEASE_RENEW_MS: '1000' };

let stage: Stage;
/** A session whose credential no client uses before it expires. */
let left: Caller & { session: SessionBody; atMs: number };
beforeAll(async () => {
  // The stage has no workers, because a gateway answers a handshake before the stream has a worker.
  stage = await setStage({ workers: [], gateway: HASTY });
  const caller = await stage.caller();
  left = { ...caller, session: await stage.session(caller), atMs: performance.now() };
}, STAGE_TIMEOUT_MS);
afterAll(() => stage.stop());

test('the response to a handshake selects the subprotocol svc.realtime.v1 and no compression', async () => {
  const session = await stage.session(await stage.caller());
  const answer = await upgrade(session, {
    headers: { 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits' },
  });
  expect(answer.status).toBe(101);
  expect(answer.headers['sec-websocket-protocol']).toBe(FIRST);
  expect(answer.headers['sec-websocket-extensions']).toBeUndefined();
});

test('a handshake that does not offer the two subprotocols in the required order is refused and does not use up the credential', async () => {
  const session = await stage.session(await stage.caller());
  const [first = '', credential = ''] = session.websocket_protocols;
  const offers = [
    [credential, first],
    [first],
    [credential],
    [first, credential, 'chat'],
    ['chat', first, credential],
    [first, first],
    undefined,
    [''],
    [first, credential.replace('svc.auth.', 'svc.token.')],
    [first, credential.slice('svc.auth.'.length)],
    // This character is white space in JavaScript but not in HTTP.
    [first, `\u00a0${credential}`],
    // Base64 decoders skip these characters, but a subprotocol must not contain them. In an earlier version, such
    // offers consumed the credential.
    [first, `${credential.slice(0, -9)} ${credential.slice(-9)}`],
    [first, `${credential.slice(0, -9)}"${credential.slice(-9)}`],
    ['svc.realtime.v2', credential],
    [first.toUpperCase(), credential],
    [first, 'svc.auth.'],
    [first, `${credential.slice(0, -2)}${credential.endsWith('AA') ? 'BB' : 'AA'}`],
    [first, `svc.auth.${'A'.repeat(4000)}`],
  ];
  for (const protocols of offers) {
    const answer = await upgrade(session, { protocols });
    expect([protocols, refusal(answer)]).toEqual([protocols, 'invalid_session_credential']);
  }
  expect((await upgrade(session)).status).toBe(101);
});

test('a credential opens only its own session', async () => {
  const [mine, other] = [await stage.caller(), await stage.caller()];
  const session = await stage.session(mine);
  const otherSession = await stage.session(other);
  const { websocket_protocols: protocols } = session;
  expect(refusal(await upgrade(otherSession, { protocols }))).toBe('invalid_session_credential');
  const unknownUrl = session.websocket_url.replace(session.id, randomUUID());
  expect(refusal(await upgrade({ ...session, websocket_url: unknownUrl }))).toBe('invalid_session_credential');
  expect((await upgrade(session)).status).toBe(101);
});

test('a credential works only once, even after the stream has ended', async () => {
  const caller = await stage.caller();
  const session = await stage.session(caller);
  expect((await upgrade(session)).status).toBe(101);
  expect(refusal(await upgrade(session))).toBe('invalid_session_credential');
  // The client closed the stream before it had a worker, so the session is failed and not charged.
  expect(await stage.settled(caller)).toMatchObject({ state: 'failed', audioMs: 0, billableMs: 0 });
  expect(refusal(await upgrade(session))).toBe('invalid_session_credential');
});

test('exactly one of 50 simultaneous handshakes with the same credential gets 101', async () => {
  const caller = await stage.caller();
  const session = await stage.session(caller);
  const answers = await Promise.all(Array.from({ length: 50 }, () => upgrade(session)));
  expect(answers.filter(({ status }) => status === 101)).toHaveLength(1);
  const refusals = answers.filter(({ status }) => status !== 101).map(refusal);
  expect(refusals).toHaveLength(49);
  // Refusals beyond the limit of the session get 429.
  expect(['invalid_session_credential', 'rate_limit_exceeded']).toEqual(expect.arrayContaining(refusals));
  expect(await stage.settled(caller)).toMatchObject({ state: 'failed', billableMs: 0 });
});

test('a handshake of a suspended account gets 403, and its credential works when the account is active again', async () => {
  const caller = await stage.caller();
  const session = await stage.session(caller);
  const { displayName, models, limits } = (await stage.ledger.accounts.read(caller.tenant))!;
  const configure = (state: 'Active' | 'Suspended') =>
    stage.ledger.accounts.configure(caller.tenant, { displayName, models, limits, state });
  await configure('Suspended');
  expect(refusal(await upgrade(session))).toBe('account_inactive');
  await configure('Active');
  expect((await upgrade(session)).status).toBe(101);
});

test('a handshake at a path that is not a stream gets 404', async () => {
  const session = await stage.session(await stage.caller());
  const path = `/v1/asr/sessions/${session.id}`;
  const paths = ['/', '/v1/asr/sessions/x/stream', path, `${path}/stream/`, `${path}/STREAM`, `//v1${path}/stream`];
  for (const unknown of paths) {
    expect([unknown, refusal(await upgrade(session, { path: unknown }))]).toEqual([unknown, 'not_found']);
  }
  expect((await upgrade(session, { path: `${path}/stream?from=here` })).status).toBe(101);
});

test('a request that is not a WebSocket handshake gets 400 and does not use up the credential', async () => {
  const session = await stage.session(await stage.caller());
  const broken = [
    { headers: { 'Sec-WebSocket-Version': '8' } },
    { headers: { 'Sec-WebSocket-Version': undefined } },
    { headers: { 'Sec-WebSocket-Key': undefined } },
    { headers: { 'Sec-WebSocket-Key': 'short' } },
    { method: 'POST' },
  ];
  for (const handshake of broken) {
    expect([handshake, refusal(await upgrade(session, handshake))]).toEqual([handshake, 'invalid_parameters']);
  }
  expect((await upgrade(session)).status).toBe(101);
});

test('a refused handshake has the error body, an X-Request-Id and no-store, and repeats no credential', async () => {
  const session = await stage.session(await stage.caller());
  await upgrade(session);
  const answer = await upgrade(session);
  const error = errorOf(answer);
  expect(error.request_id).toMatch(UUID);
  expect(answer.headers).toMatchObject({
    'x-request-id': error.request_id,
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
  });
  expect(Number(answer.headers['content-length'])).toBe(Buffer.byteLength(answer.text));
  const secret = session.websocket_protocols[1]!.slice('svc.auth.'.length);
  expect(JSON.stringify(answer)).not.toContain(secret);
  expect(stage.gateway.output()).not.toContain(secret);
});

test('a refused handshake leaves no connection open, even if the client does not close its side', async () => {
  const open = () => readdirSync(`/proc/${stage.gateway.pid}/fd`).length;
  const { hostname, port } = new URL(stage.gateway.baseUrl);
  const before = open();
  const sockets = Array.from({ length: 30 }, () =>
    connect({ host: hostname, port: Number(port), allowHalfOpen: true }),
  );
  for (const socket of sockets) {
    socket.on('error', () => undefined).resume();
    socket.write('GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  }
  await Promise.all(sockets.map((socket) => once(socket, 'end')));
  await eventually('the connections are closed', 30_000, () => open() <= before + 5);
  for (const socket of sockets) socket.destroy();
});

test('a refused handshake does not change which gateway owns the open stream of the same session', async () => {
  const doomed = await startGateway(stage.redis.url, stage.prefix, HASTY);
  const caller = await stage.caller();
  const session = await createSession(doomed, caller.key);
  await openStream(session);
  expect(refusal(await upgrade(session))).toBe('invalid_session_credential');
  await doomed.stop('SIGKILL');
  // The ledger still knows which gateway had the stream, so another gateway fails the session.
  expect(await stage.settled(caller, 20_000)).toMatchObject({ state: 'failed', billableMs: 0 });
});

describe('while replies of Redis get lost', () => {
  let proxy: CuttingProxy;
  let behind: TestGateway;
  beforeAll(async () => {
    proxy = await startCuttingProxy(stage.redis.port);
    behind = await startGateway(`redis://127.0.0.1:${proxy.port}`, stage.prefix, { ...HASTY, STOP_GRACE_MS: '4000' });
  });
  afterAll(async () => {
    await behind.stop();
    await proxy.stop();
  });

  /** Attempts a handshake. Returns true if the credential was consumed although the answer was 503. */
  async function isLost(caller: Caller): Promise<boolean> {
    const session = await stage.session(caller);
    const url = session.websocket_url.replace(/^ws:\/\/[^/]+/, behind.baseUrl.replace('http', 'ws'));
    const { status } = await upgrade({ ...session, websocket_url: url });
    const [record] = (await stage.ledger.accounts.usage(caller.tenant))!.recent;
    return status === 503 && record!.state !== 'reserved';
  }

  test('a handshake that was answered with 503 leaves no stream behind and no charge', async () => {
    const lost: Caller[] = [];
    proxy.cutAfter(() => 500 + Math.floor(Math.random() * 1500));
    await eventually('a credential was consumed by a failed handshake', 30_000, async () => {
      const callers = await Promise.all(Array.from({ length: 10 }, () => stage.caller()));
      await Promise.all(callers.map(async (caller) => (await isLost(caller)) && lost.push(caller)));
      return lost.length >= 3;
    });
    proxy.cutAfter(undefined);
    for (const caller of lost) {
      const { state, billableMs, balance } = await stage.settled(caller, 30_000);
      // The state is `failed` if the gateway could not renew its lease meanwhile.
      expect(['expired', 'failed']).toContain(state);
      expect([billableMs, balance.reservedMs]).toEqual([0, 0]);
    }
  });
});

test('a handshake with an expired credential is refused', async () => {
  await sleep(Math.max(0, left.atMs + TTL_MS + 50 - performance.now()));
  expect(refusal(await upgrade(left.session))).toBe('invalid_session_credential');
  expect(await stage.settled(left)).toMatchObject({ state: 'expired', billableMs: 0 });
});

test('without Redis a handshake gets 503 with Retry-After, and the credential works afterwards', async () => {
  const caller = await stage.caller();
  const session = await stage.session(caller);
  await stage.redis.kill();
  const answer = await upgrade(session);
  expect(refusal(answer)).toBe('service_unavailable');
  expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(0);
  expect(answer.headers['x-request-id']).toMatch(UUID);
  await stage.redis.restart();
  const again = await eventually('a handshake is answered', 30_000, async () => {
    const next = await upgrade(session);
    return next.status === 503 ? undefined : next;
  });
  expect(again.status).toBe(101);
});

test('a plain GET of the stream path returns 400, and a GET of /v1/models that offers an upgrade to h2c returns 200', async () => {
  const { baseUrl } = stage.gateway;
  const plain = await fetch(`${baseUrl}/v1/asr/sessions/00000000-0000-4000-8000-000000000000/stream`);
  const { error } = (await plain.json()) as { error: { code: string } };
  expect([plain.status, error.code]).toEqual([400, 'invalid_parameters']);
  const answer = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABkAAQAAP__' };
    get(`${baseUrl}/v1/models`, { headers, agent: false }, (response) => resolve(response.statusCode)).on(
      'error',
      reject,
    );
  });
  expect(answer).toBe(200);
});
