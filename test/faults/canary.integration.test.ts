import { randomBytes, randomInt } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { generateApiKey } from '@svc-asr/core';
import type { Ledger } from '@svc-asr/ledger';
import { MODEL, ownPrefix, seedCatalogue, seedTenant, startGateway } from '../support/gateway.ts';
import type { TestGateway } from '../support/gateway.ts';
import { openLedger } from '../support/ledger.ts';
import { startRedis } from '../support/redis.ts';
import type { TestRedis } from '../support/redis.ts';

const REQUESTS = 1000;
let redis: TestRedis;
let ledger: Ledger;
let gateway: TestGateway;

beforeAll(async () => {
  redis = await startRedis();
  const prefix = ownPrefix();
  ledger = await openLedger(redis.url, { prefix });
  await seedCatalogue(ledger);
  gateway = await startGateway(redis.url, prefix, { LOG_LEVEL: 'debug', AUTH_FAILURES_PER_SECOND: '100000' });
});
afterAll(async () => {
  await ledger.link.close();
  await redis.stop();
});

const pick = <T>(...choices: T[]): T => choices[randomInt(choices.length)]!;

test('output, metrics and Redis contain no secret of 1,000 random valid and invalid requests', async () => {
  const tenants = await Promise.all(
    Array.from({ length: 5 }, () => seedTenant(ledger, 3_600_000, { concurrentSessions: 500 })),
  );
  const secrets = new Set(tenants.map(({ key }) => key));
  const statuses = new Map<number, number>();
  for (let i = 0; i < REQUESTS; i += 20) {
    await Promise.all(
      Array.from({ length: 20 }, () =>
        one(
          tenants.map(({ key }) => key),
          secrets,
          statuses,
        ),
      ),
    );
  }
  expect(statuses.get(201)).toBeGreaterThan(150);
  expect([...statuses.keys()].sort()).toEqual(expect.arrayContaining([200, 201, 400, 401, 404, 405, 415]));
  expect(secrets.size).toBeGreaterThan(300);
  const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
  // The gateway writes the last refused requests to Redis before it ends.
  await gateway.stop();
  const places = { output: gateway.output(), metrics, redis: bytesBelow(redis.folder) };
  expect(places.output).toContain('"message":"request"');
  expect(places.redis).toContain(':live');
  for (const [place, text] of Object.entries(places)) {
    for (const secret of secrets) {
      // The public part of a key may appear in the output. The secret part must not.
      const hidden = secret.replace(/^svc_live_v1_[0-9A-Za-z]{10}_/, '').replace(/^svc\.auth\./, '');
      if (text.includes(hidden)) throw new Error(`a secret is in ${place}: ${secret}`);
    }
  }
});

/** Sends a request with secrets in random places. Adds every secret that was sent or received to `secrets`. */
async function one(keys: string[], secrets: Set<string>, statuses: Map<number, number>): Promise<void> {
  const good = randomInt(3) === 0;
  const own = keys[randomInt(keys.length)]!;
  const key = good ? own : pick(own, generateApiKey(randomBytes).key, randomBytes(20).toString('base64url'));
  const authorization = good
    ? `Bearer ${key}`
    : pick(`Bearer ${key}`, `Bearer ${key}`, `bearer  ${key}`, `Basic ${key}`, key, `Bearer ${key} x`);
  secrets.add(key);
  const sound = { model: MODEL, max_audio_seconds: randomInt(1, 4) };
  const body = good
    ? sound
    : pick<unknown>(
        ...Array<unknown>(6).fill(sound),
        { model: key },
        { model: MODEL, [key]: 1 },
        { model: MODEL, max_audio_seconds: key },
        `{"model": "${key}`,
      );
  const headers: Record<string, string> = { Authorization: authorization };
  if (good || randomInt(3) > 0)
    headers['Content-Type'] = good ? 'application/json' : pick('application/json', `text/${key}`);
  if (randomInt(4) === 0)
    headers['Idempotency-Key'] = pick(`${key}!`, `${key}-${randomInt(1e9)}`, randomBytes(8).toString('hex'));
  if (randomInt(4) === 0) headers['X-Request-Id'] = key;
  if (randomInt(4) === 0) headers.traceparent = key;
  if (randomInt(4) === 0) headers['User-Agent'] = key;
  if (randomInt(6) === 0) headers['Sec-WebSocket-Protocol'] = `svc.realtime.v1, svc.auth.${key}`;
  const path = good
    ? '/v1/asr/sessions'
    : pick(
        '/v1/asr/sessions',
        '/v1/asr/sessions',
        '/v1/asr/sessions',
        '/v1/usage',
        `/v1/${key}`,
        `/v1/usage?key=${key}`,
      );
  const method = good ? 'POST' : pick('POST', 'POST', 'POST', 'GET', 'PUT');
  const response = await fetch(gateway.baseUrl + path, {
    method,
    headers,
    ...(method === 'GET' ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  const text = await response.text();
  if (response.status === 201) {
    const { websocket_protocols: protocols } = JSON.parse(text) as { websocket_protocols: [string, string] };
    secrets.add(protocols[1]);
  } else if (text.includes(key.slice(23)) && key.startsWith('svc_live_v1_')) {
    throw new Error(`an error message repeats a key: ${text}`);
  }
}

/** Returns everything that Redis has on disk. Its append-only file contains every write. */
function bytesBelow(folder: string): string {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => (statSync(path).isDirectory() ? bytesBelow(path) : readFileSync(path, 'latin1')))
    .join('');
}
