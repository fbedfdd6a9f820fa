import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ledger } from '@svc-asr/ledger';
import { ownPrefix, postSession, seedCatalogue, seedTenant, startGateway } from '../support/gateway.ts';
import type { TestGateway } from '../support/gateway.ts';
import { openLedger } from '../support/ledger.ts';
import { startRedis } from '../support/redis.ts';
import type { TestRedis } from '../support/redis.ts';

const prefix = ownPrefix();
const folder = mkdtempSync(join(tmpdir(), 'svc-asr-ledger-'));
const idFile = join(folder, 'id');
let redis: TestRedis;
let ledger: Ledger;
let gateway: TestGateway;

beforeAll(async () => {
  redis = await startRedis();
  ledger = await openLedger(redis.url, { prefix });
  await seedCatalogue(ledger);
  await ledger.identity.claim('mine');
  gateway = await startGateway(redis.url, prefix, { LEDGER_ID_FILE: idFile });
});
afterAll(async () => {
  await gateway.stop();
  await ledger.link.close();
  await redis.stop();
  rmSync(folder, { recursive: true, force: true });
});

const statusOf = async (key: string) => (await postSession(gateway, key)).status;
const usageOf = async (key: string) =>
  (await fetch(`${gateway.baseUrl}/v1/usage`, { headers: { Authorization: `Bearer ${key}` } })).status;

async function until(status: number, key: string): Promise<void> {
  const deadline = Date.now() + 20_000;
  while ((await statusOf(key)) !== status) {
    if (Date.now() > deadline) throw new Error(`no response had the status ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('with an emptied Redis the gateway answers 503 until the ledger is restored, and never reports a key as unknown', async () => {
  const { key } = await seedTenant(ledger, 60_000, { concurrentSessions: 10 });
  const { key: quiet } = await seedTenant(ledger, 60_000);
  await until(201, key);
  await ledger.link.send('', ['FLUSHALL']);
  // The gateway has cached `key`, but has never looked up `quiet`.
  expect([await statusOf(key), await usageOf(key), await statusOf(quiet)]).toEqual([503, 503, 503]);

  await ledger.identity.claim('another');
  expect([await statusOf(key), await statusOf(quiet)]).toEqual([503, 503]);

  await ledger.link.send('', ['FLUSHALL']);
  await ledger.identity.claim('mine');
  await seedCatalogue(ledger);
  const { key: again } = await seedTenant(ledger, 60_000, { concurrentSessions: 10 });
  await until(201, again);
});

test('a gateway that starts with an emptied Redis knows from its ledger id file that the ledger is missing', async () => {
  writeFileSync(idFile, 'mine\n');
  await ledger.link.send('', ['FLUSHALL']);
  await seedCatalogue(ledger);
  const { key } = await seedTenant(ledger, 60_000);
  const other = await startGateway(redis.url, prefix, { LEDGER_ID_FILE: idFile });
  try {
    const answer = await postSession(other, key);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    expect((await fetch(`${other.adminUrl}/livez`)).status).toBe(200);
  } finally {
    await other.stop();
  }
});
