import type { Ledger } from '@svc-asr/ledger';
import { untilPoolIsEmpty } from '../support/empty-pool.ts';
import { MODEL, ownPrefix, seedCatalogue, seedTenant, startGateway } from '../support/gateway.ts';
import type { TestGateway } from '../support/gateway.ts';
import { openLedger } from '../support/ledger.ts';
import { recording } from '../support/recording.ts';
import { startRedis } from '../support/redis.ts';
import type { TestRedis } from '../support/redis.ts';
import { createSession, openStream } from '../support/stream-client.ts';
import { startWorker } from '../support/worker.ts';
import type { TestWorker } from '../support/worker.ts';

let redis: TestRedis;
let ledger: Ledger;
let gateway: TestGateway;
let worker: TestWorker;
const prefix = ownPrefix();

beforeAll(async () => {
  redis = await startRedis();
  ledger = await openLedger(redis.url, { prefix });
  await seedCatalogue(ledger);
  [gateway, worker] = await Promise.all([startGateway(redis.url, prefix), startWorker(redis.url, prefix)]);
});
afterAll(async () => {
  await gateway.stop();
  await worker.stop();
  await ledger.link.close();
  await redis.stop();
});

test('a recording yields deltas and a final and is settled to the sample', async () => {
  const { tenant, key } = await seedTenant(ledger, 3_600_000);
  const { pcm, text } = recording();
  const stream = await openStream(await createSession(gateway, key, { model: MODEL }));
  expect(await stream.next('ready')).toMatchObject({ model: MODEL, chunk_samples: 17_920, context_size: [56, 13] });
  stream.audio(pcm);
  stream.send({ type: 'flush' });
  const final = await stream.next('final');
  expect(final.utterance).toBe(1);
  expect(final.audio_end_ms).toBe(Math.ceil(pcm.length / 32));
  expect(final.words.map((word) => word.text).join(' ')).toBe(final.text);
  const expected = new Set(text.toLowerCase().split(/\s+/));
  const hits = final.text.split(' ').filter((word) => expected.has(word)).length;
  expect(hits / expected.size).toBeGreaterThan(0.5);
  const deltas = stream.events.filter((event) => event.type === 'delta');
  expect(deltas.length).toBeGreaterThan(1);
  stream.close();
  expect(await stream.closed).toMatchObject({ code: 1000 });
  await until(async () => (await ledger.accounts.usage(tenant))!.recent[0]?.state === 'completed');
  const [session] = (await ledger.accounts.usage(tenant))!.recent;
  expect(session).toMatchObject({
    audioMs: Math.ceil(pcm.length / 32),
    billableMs: Math.ceil(pcm.length / 32_000) * 1000,
  });
  await untilPoolIsEmpty(ledger, MODEL);
});

async function until(check: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error('the condition was not met within 10 s');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
