import { setTimeout as sleep } from 'node:timers/promises';
import { SESSION_REFUSALS_PER_SECOND } from '../../gateway/src/stream/handshake/refusals.ts';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { freeze, thaw } from '../support/freeze.ts';
import { startGateway } from '../support/gateway.ts';
import type { TestGateway } from '../support/gateway.ts';
import { errorOf, refusal } from '../support/refusals.ts';
import { createSession } from '../support/stream-client.ts';
import type { SessionBody } from '../support/stream-client.ts';
import { WebSocket } from 'ws';
import { setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Stage } from './stage.ts';
import { upgrade } from './upgrade.ts';
import type { Handshake } from './upgrade.ts';

const TTL_MS = 1000;
/** If a credential expired longer ago than this, the gateway refuses the credential without a request to Redis. */
const TOLERANCE_MS = 5000;
/** Limit of refused handshakes per second. It is so low that even a slow machine exceeds it. */
const PER_SECOND = 2;
const PENDING = 3;
const BAD_PROTOCOLS = ['svc.realtime.v1', 'svc.auth.x'];

let stage: Stage;
beforeAll(async () => {
  // The stage has no workers, because a gateway answers a handshake before the stream has a worker.
  stage = await setStage({ workers: [] });
}, STAGE_TIMEOUT_MS);
afterAll(() => stage.stop());

/** Starts another gateway of the stage, runs the test on it, and ends it. */
async function withGateway(env: NodeJS.ProcessEnv, run: (gateway: TestGateway) => Promise<void>): Promise<void> {
  const gateway = await startGateway(stage.redis.url, stage.prefix, { STOP_GRACE_MS: '4000', ...env });
  try {
    await run(gateway);
  } finally {
    await gateway.stop();
  }
}

async function sessionAt(gateway: TestGateway): Promise<SessionBody> {
  return createSession(gateway, (await stage.caller()).key);
}

/** Returns the number of handshakes that have reached Redis. SADD is the first command of each one. */
async function handshakesInRedis(): Promise<number> {
  const text = String(await stage.ledger.link.send('', ['INFO', 'commandstats']));
  return Number(/^cmdstat_sadd:calls=(\d+)/m.exec(text)?.[1] ?? 0);
}

test('without Redis, a handshake with an expired credential gets 401 and one with a valid credential gets 503', async () => {
  await withGateway({ SESSION_TTL_MS: String(TTL_MS), REDIS_TIMEOUT_MS: '3000' }, async (gateway) => {
    const expired = await sessionAt(gateway);
    await sleep(TTL_MS + TOLERANCE_MS + 500);
    const valid = await sessionAt(gateway);
    const before = await handshakesInRedis();
    expect(refusal(await upgrade(expired))).toBe('invalid_session_credential');
    expect(await handshakesInRedis()).toBe(before);
    await freeze(stage.redis.pid);
    try {
      expect(refusal(await upgrade(expired))).toBe('invalid_session_credential');
      expect(refusal(await upgrade(valid))).toBe('service_unavailable');
    } finally {
      thaw(stage.redis.pid);
    }
  });
});

test('an address with too many bad handshakes gets 429 with Retry-After, but its valid handshakes get 101', async () => {
  await withGateway({ HANDSHAKE_REFUSALS_PER_SECOND: String(PER_SECOND) }, async (gateway) => {
    const session = await sessionAt(gateway);
    const bad: Handshake[] = [{ protocols: BAD_PROTOCOLS }, { path: '/nowhere' }, { protocols: undefined }];
    const before = await handshakesInRedis();
    const first = [await upgrade(session, bad[0]), await upgrade(session, bad[1])];
    expect(first.map(refusal)).toEqual(['invalid_session_credential', 'not_found']);
    const answers: Answer[] = [];
    for (let at = 0; at < 20 * PER_SECOND; at++) answers.push(await upgrade(session, bad[at % bad.length]));
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(0);
    expect(errorOf(limited[0]!)).toMatchObject({ code: 'rate_limit_exceeded', type: 'rate_limit_error' });
    expect(Number(limited[0]!.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(await handshakesInRedis()).toBe(before);
    expect((await upgrade(session)).status).toBe(101);
  });
});

test('handshakes with a used credential get 401 up to the limit per session, and then 429 without a request to Redis', async () => {
  await withGateway({ HANDSHAKE_REFUSALS_PER_SECOND: '1' }, async (gateway) => {
    const used = await sessionAt(gateway);
    expect((await upgrade(used)).status).toBe(101);
    const before = await handshakesInRedis();
    const within: Answer[] = [];
    for (let at = 0; at < SESSION_REFUSALS_PER_SECOND; at++) within.push(await upgrade(used));
    expect(new Set(within.map(refusal))).toEqual(new Set(['invalid_session_credential']));
    // All handshakes are sent in parallel, so that even a slow machine exceeds the limit.
    const beyond = await Promise.all(Array.from({ length: 5 * SESSION_REFUSALS_PER_SECOND }, () => upgrade(used)));
    beyond.push(await upgrade(used));
    const limited = beyond.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(0);
    expect(errorOf(limited[0]!).message).toContain('of this session');
    expect(Number(limited[0]!.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(await handshakesInRedis()).toBe(before + within.length + beyond.length - limited.length);
    // The limit applies neither to another session nor to the address of the client.
    expect((await upgrade(await sessionAt(gateway))).status).toBe(101);
    expect(refusal(await upgrade(used, { protocols: BAD_PROTOCOLS }))).toBe('invalid_session_credential');
  });
});

test('only refused handshakes count toward the limit of a client address, and each client of a trusted proxy has its own limit', async () => {
  const env = { HANDSHAKE_REFUSALS_PER_SECOND: '1', TRUSTED_PROXIES: '127.0.0.1' };
  await withGateway(env, async (gateway) => {
    for (let at = 0; at < 5; at++) expect((await upgrade(await sessionAt(gateway))).status).toBe(101);
    const session = await sessionAt(gateway);
    const from = (address: string, protocols = BAD_PROTOCOLS) =>
      upgrade(session, { protocols, headers: { 'X-Forwarded-For': address } });
    // These handshakes are sent in parallel. The limit allows one refusal per second. In sequence, they could take so
    // long that the limit is never reached.
    const many = await Promise.all(Array.from({ length: 20 }, () => from('203.0.113.1')));
    expect(many.map(refusal)).toContain('rate_limit_exceeded');
    expect(refusal(await from('203.0.113.2'))).toBe('invalid_session_credential');
    // The credential was not consumed by a refused handshake.
    expect((await from('203.0.113.1', session.websocket_protocols)).status).toBe(101);
  });
});

test('the number of handshakes that wait for a silent Redis is limited, and each waiting handshake is rolled back when Redis answers again', async () => {
  const env = { HANDSHAKES_PENDING_MAX: String(PENDING), REDIS_TIMEOUT_MS: '3000' };
  await withGateway(env, async (gateway) => {
    const pending = async () => {
      const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
      return Number(/^svc_asr_pending_settlements\S* (\d+)$/m.exec(text)?.[1]);
    };
    const session = await sessionAt(gateway);
    await freeze(stage.redis.pid);
    const send = async () => errorOf(await upgrade(session)).message;
    const isRefused = (message: string) => message.includes('Too many handshakes');
    try {
      // The first handshakes still wait for Redis after their clients got an answer.
      const first = await Promise.all(Array.from({ length: PENDING }, send));
      expect(first.filter(isRefused)).toEqual([]);
      const further = await Promise.all(Array.from({ length: PENDING }, send));
      expect(further.filter(isRefused)).toEqual(further);
      expect(await pending()).toBe(PENDING);
    } finally {
      thaw(stage.redis.pid);
    }
    await eventually('every handshake is rolled back', 30_000, async () => (await pending()) === 0);
    expect((await upgrade(session)).status).toBe(101);
  });
});

test('unanswered handshakes of one session do not use up the audio memory of a gateway', async () => {
  // There is memory for 20 streams. One session may have 10 unanswered handshakes.
  await withGateway({ STREAM_MEMORY_MIB: '192' }, async (gateway) => {
    const session = await sessionAt(gateway);
    await freeze(stage.redis.pid);
    let answers: Promise<Answer>[];
    try {
      answers = Array.from({ length: 50 }, () => upgrade(session));
      const isLimited = answers.map((answer) => answer.then(({ status }) => status === 429));
      // Only handshakes that do not wait for Redis are answered now.
      expect(await Promise.race(isLimited)).toBe(true);
    } finally {
      thaw(stage.redis.pid);
    }
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([101, 401, 429]));
    expect(statuses.filter((status) => status === 101)).toHaveLength(1);
  });
});

test('one tenant may open at most half of the connections to /v1/realtime that a gateway accepts, so another tenant can still connect', async () => {
  await withGateway({ MAX_CONNECTIONS: '8' }, async (gateway) => {
    const open: WebSocket[] = [];
    const connect = (key: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const url = `${gateway.baseUrl.replace('http', 'ws')}/v1/realtime?intent=transcription`;
        const socket = new WebSocket(url, { headers: { Authorization: `Bearer ${key}` } });
        open.push(socket);
        socket.once('open', () => resolve(101));
        socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
        socket.once('error', reject);
      });
    const [noisy, other] = [await stage.caller(), await stage.caller()];
    const statuses: number[] = [];
    for (let count = 0; count < 5; count++) statuses.push(await connect(noisy.key));
    expect(statuses).toEqual([101, 101, 101, 101, 429]);
    expect(await connect(other.key)).toBe(101);
    open[0]?.terminate();
    await eventually('the closed connection no longer counts', 30_000, async () => (await connect(noisy.key)) === 101);
    for (const socket of open) socket.terminate();
  });
});
