import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectRedis, createLedger } from '@svc-asr/ledger';
import type { Ledger, WorkerRecord } from '@svc-asr/ledger';
import { createCertificate } from '../../test/support/certificate.ts';
import { connected } from '../../test/support/connected.ts';
import { eventually } from '../../test/support/eventually.ts';
import { freePort } from '../../test/support/ports.ts';
import { startRedis } from '../../test/support/redis.ts';
import type { TestRedis } from '../../test/support/redis.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { prepareRedis } from '../../test/support/worker.ts';
import { startEngine } from './engine/start.ts';
import { modelsFolder, readWav } from './testing/data.ts';
import { ask, openStream, spawnWorker } from './testing/process.ts';
import type { TestWorker } from './testing/process.ts';
import { transcribe } from './testing/transcribe.ts';

const KIKUYU = { model: 'svc-asr-kikuyu-v1', recording: 'ki_espeak_002' };
const DHOLUO = { model: 'svc-asr-dholuo-v1', recording: 'luo_espeak_000' };
const START_MS = 60_000;

let redis: TestRedis;
let ledger: Ledger;
let worker: TestWorker;
let certificates: Record<'host' | 'guest', Awaited<ReturnType<typeof createCertificate>>>;

beforeAll(async () => {
  redis = await startRedis();
  await prepareRedis(redis.url);
  const prefix = `test-${randomUUID()}`;
  const link = await connected(connectRedis({ url: redis.url, name: 'test', timeoutMs: 5000 }));
  ledger = createLedger(link, { prefix, processLeaseMs: 4000 });
  certificates = { host: await createCertificate(), guest: await createCertificate() };
  const folder = temporaryFolder('guests');
  const writeFiles = (name: 'host' | 'guest') => {
    const files = { TLS_CERT_FILE: join(folder, `${name}.crt`), TLS_KEY_FILE: join(folder, `${name}.key`) };
    writeFileSync(files.TLS_CERT_FILE, certificates[name].cert);
    writeFileSync(files.TLS_KEY_FILE, certificates[name].key, { mode: 0o600 });
    return files;
  };
  const guest = { MODEL: DHOLUO.model, MODEL_DIR: join(modelsFolder, DHOLUO.model), SLOTS: 3, ...writeFiles('guest') };
  worker = spawnWorker(await freePort(), {
    REDIS_URL: redis.url,
    REDIS_KEY_PREFIX: prefix,
    REVISION: 'r7',
    GUESTS: JSON.stringify([guest]),
    ...writeFiles('host'),
  });
});
afterAll(async () => {
  worker.kill('SIGKILL');
  await worker.ended;
  await ledger.link.close();
  await redis.stop();
});

async function registered({ model }: { model: string }): Promise<WorkerRecord> {
  return await eventually(`registered: ${worker.output()}`, START_MS, async () =>
    (await ledger.workers.list(model)).find(({ id }) => id === worker.id),
  );
}

function readRecording({ model, recording }: typeof KIKUYU): Int16Array {
  return readWav(join(modelsFolder, model, 'eval', `${recording}.wav`));
}

/** Returns the transcript of an engine that does not share its process with another engine. */
async function transcribeAlone(of: typeof KIKUYU): Promise<string> {
  const engine = await startEngine({ modelDir: join(modelsFolder, of.model), slots: 1, measureMs: 0 });
  try {
    const { final } = await transcribe(engine, readRecording(of), { sizes: [3200], context: [56, 13] });
    return final.text;
  } finally {
    await engine.close();
  }
}

test('a worker with a guest registers in both pools, with the slots and port of each model and the same revision', async () => {
  const [host, guest] = await Promise.all([registered(KIKUYU), registered(DHOLUO)]);
  expect(host).toMatchObject({ id: worker.id, slots: 2, revision: 'r7' });
  expect(guest).toMatchObject({ id: worker.id, slots: 3, revision: 'r7' });
  expect(host.address).not.toBe(guest.address);
  await eventually('the worker is ready', 30_000, async () => (await ask(worker, '/readyz'))?.[0] === 200);
  const [, metrics = ''] = (await ask(worker, '/metrics')) ?? [];
  expect(metrics).toMatch(/^svc_asr_worker_slots\{.*model="svc-asr-kikuyu-v1".*\} 2$/m);
  expect(metrics).toMatch(/^svc_asr_worker_slots\{.*model="svc-asr-dholuo-v1".*\} 3$/m);
});

test('a worker with a guest recognizes the languages of both models at the same time, and each model has its own port and certificate', async () => {
  const transcribeAtWorker = async (of: typeof KIKUYU, ca: string) => {
    const stream = await openStream(await registered(of), ca, of.model);
    stream.audio(readRecording(of));
    stream.send({ type: 'flush' });
    const final = await stream.next('final');
    stream.close();
    return final.text;
  };
  const { host, guest } = certificates;
  const texts = await Promise.all([transcribeAtWorker(KIKUYU, host.cert), transcribeAtWorker(DHOLUO, guest.cert)]);
  expect(texts).toEqual([await transcribeAlone(KIKUYU), await transcribeAlone(DHOLUO)]);
  await expect(openStream(await registered(DHOLUO), host.cert, DHOLUO.model)).rejects.toThrow(/certificate/);
});

test('the port of a guest refuses a ticket for the model of the host', async () => {
  const guest = await registered(DHOLUO);
  await expect(openStream(guest, certificates.guest.cert, KIKUYU.model)).rejects.toThrow('bad_ticket');
});

test('when the pool of one model drains a worker, the worker moves the streams of all its models', async () => {
  const [host, guest] = await Promise.all([registered(KIKUYU), registered(DHOLUO)]);
  const streams = [
    await openStream(host, certificates.host.cert, KIKUYU.model),
    await openStream(guest, certificates.guest.cert, DHOLUO.model),
  ];
  await ledger.workers.drain(KIKUYU.model, worker.id);
  for (const stream of streams) {
    await stream.next('move');
    stream.close();
  }
  worker.kill('SIGTERM');
  expect(await worker.ended).toBe(0);
  expect(await ledger.workers.list(DHOLUO.model)).toEqual([]);
});
