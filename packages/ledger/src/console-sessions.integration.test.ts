import { randomUUID } from 'node:crypto';
import type { ConsoleSessionRecord } from './console-sessions.ts';
import { createRedisKeys } from './keys.ts';
import type { Ledger } from './ledger.ts';
import { openLedger } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startRedisCluster } from '../../../test/support/redis-cluster.ts';

const NOW = 1_000_000;
const HOUR_MS = 3_600_000;
const record = (expiresAtMs: number): ConsoleSessionRecord => ({
  secretHash: 'h',
  expiresAtMs,
  issuer: 'https://login.example',
  subject: 'grace',
  name: null,
  email: null,
});

describe.each([
  ['one Redis', startRedis],
  ['a Redis Cluster of three nodes', startRedisCluster],
])('sessions of the console on %s', (_name, start) => {
  let redis: { url: string; stop: () => Promise<void> };
  let ledger: Ledger;
  let prefix: string;

  beforeAll(async () => (redis = await start()));
  afterAll(() => redis.stop());
  beforeEach(async () => {
    prefix = `test-${randomUUID()}`;
    ledger = await openLedger(redis.url, { prefix });
  });
  afterEach(() => ledger.link.close());

  test('find() returns a session only for its user, end() ends one session of a user, and endAll() ends all of them', async () => {
    const { consoleSessions } = ledger;
    await consoleSessions.put('u', 'a', record(NOW + HOUR_MS), NOW);
    await consoleSessions.put('u', 'b', record(NOW + HOUR_MS), NOW);
    expect(await consoleSessions.find('u', 'a')).toEqual(record(NOW + HOUR_MS));
    expect(await consoleSessions.find('other', 'a')).toBeUndefined();
    await consoleSessions.end('u', 'a');
    expect(await consoleSessions.find('u', 'a')).toBeUndefined();
    expect(await consoleSessions.find('u', 'b')).toBeDefined();
    await consoleSessions.endAll('u');
    expect(await consoleSessions.find('u', 'b')).toBeUndefined();
  });

  test('a user has at most 20 sessions, and the 21st ends the session of this user that expires first', async () => {
    const { consoleSessions } = ledger;
    for (let n = 0; n < 21; n++) await consoleSessions.put('u', `s${n}`, record(NOW + HOUR_MS + n), NOW);
    expect(await consoleSessions.find('u', 's0')).toBeUndefined();
    expect(await consoleSessions.find('u', 's1')).toBeDefined();
  });

  test('a new session removes expired sessions of the user, and the hash expires with the newest session', async () => {
    const { consoleSessions } = ledger;
    await consoleSessions.put('u', 'old', record(NOW + HOUR_MS), NOW);
    await consoleSessions.put('u', 'new', record(NOW + 3 * HOUR_MS), NOW + 2 * HOUR_MS);
    expect(await consoleSessions.find('u', 'old')).toBeUndefined();
    const key = createRedisKeys(prefix).consoleSessions('u');
    const leftMs = Number(await ledger.link.send(key, ['PTTL', key]));
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(HOUR_MS);
  });
});
