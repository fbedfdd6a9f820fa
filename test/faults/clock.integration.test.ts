import type { Ledger } from '@svc-asr/ledger';
import { prepareClocks } from '../support/clock/process-clock.ts';
import type { Clocks } from '../support/clock/process-clock.ts';
import { eventually } from '../support/eventually.ts';
import { MODEL, ownPrefix, seedCatalogue, seedTenant, startGateway } from '../support/gateway.ts';
import { openLedger } from '../support/ledger.ts';
import { recording } from '../support/recording.ts';
import { startRedis } from '../support/redis.ts';
import type { TestRedis } from '../support/redis.ts';
import { createSession, openStream } from '../support/stream-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWorker } from '../support/worker.ts';

const prefix = ownPrefix();
const { pcm } = recording();
const HOUR_MS = 3_600_000;
const AUDIO_MS = 1000 * Math.ceil(pcm.length / 32_000);
let redis: TestRedis;
let ledger: Ledger;
let clocks: Clocks;

beforeAll(async () => {
  redis = await startRedis();
  ledger = await openLedger(redis.url, { prefix });
  await seedCatalogue(ledger);
  clocks = await prepareClocks(temporaryFolder('clocks'));
});
afterAll(async () => {
  await ledger.link.close();
  await redis.stop();
});

test('a draining gateway whose clock steps ahead keeps its stream and charges the stream', async () => {
  const clock = clocks.create('draining');
  const worker = await startWorker(redis.url, prefix);
  const gateway = await startGateway(redis.url, prefix, { ...clock.env, STOP_GRACE_MS: '240000' });
  const { tenant, key } = await seedTenant(ledger, HOUR_MS);
  const stream = await openStream(await createSession(gateway, key, { model: MODEL }));
  await stream.next('ready');
  stream.audio(pcm.subarray(0, 32_000));
  const exit = gateway.stop('SIGTERM');
  await eventually(
    'the gateway drains',
    30_000,
    async () => (await fetch(`${gateway.adminUrl}/readyz`)).status === 503,
  );
  clock.set(HOUR_MS);
  stream.audio(pcm.subarray(32_000));
  stream.send({ type: 'flush' });
  expect((await stream.next('final')).text.length).toBeGreaterThan(0);
  stream.close();
  expect((await stream.closed).code).toBe(1000);
  expect(await exit).toBe(0);
  expect((await ledger.accounts.usage(tenant))!.balance).toMatchObject({ reservedMs: 0, consumedMs: AUDIO_MS });
  await worker.stop();
});

test.each([
  ['ahead', HOUR_MS],
  ['back', -HOUR_MS],
])('streams are served and charged when the clock of the gateway or the worker steps %s', async (_, stepMs) => {
  const [gatewayClock, workerClock] = [clocks.create('gateway'), clocks.create('worker')];
  const worker = await startWorker(redis.url, prefix, workerClock.env);
  const gateway = await startGateway(redis.url, prefix, gatewayClock.env);
  for (const clock of [gatewayClock, workerClock]) {
    const { tenant, key } = await seedTenant(ledger, HOUR_MS, { concurrentSessions: 2 });
    const before = await openStream(await createSession(gateway, key, { model: MODEL }));
    await before.next('ready');
    clock.set(stepMs);
    const after = await openStream(await createSession(gateway, key, { model: MODEL }));
    await after.next('ready');
    for (const stream of [before, after]) {
      stream.audio(pcm);
      stream.send({ type: 'flush' });
      expect((await stream.next('final')).text.length).toBeGreaterThan(0);
      stream.close();
      expect((await stream.closed).code).toBe(1000);
    }
    await eventually('both sessions are charged', 30_000, async () => {
      return (await ledger.accounts.usage(tenant))?.balance.consumedMs === 2 * AUDIO_MS;
    });
    clock.set(0);
  }
  await Promise.all([gateway.stop(), worker.stop()]);
});
