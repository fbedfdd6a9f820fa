import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectRedis, createLedger } from '@svc-asr/ledger';
import type { Ledger, WorkerRecord } from '@svc-asr/ledger';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { connected } from '../../test/support/connected.ts';
import { eventually } from '../../test/support/eventually.ts';
import { freePort } from '../../test/support/ports.ts';
import { startRedis } from '../../test/support/redis.ts';
import type { TestRedis } from '../../test/support/redis.ts';
import { prepareRedis } from '../../test/support/worker.ts';
import { createCertificate } from '../../test/support/certificate.ts';
import { readWav } from './testing/data.ts';
import { ask, MODEL, MODEL_DIR, openStream, spawnWorker } from './testing/process.ts';
import type { TestWorker } from './testing/process.ts';

const speech = readWav(join(MODEL_DIR, 'eval/ki_espeak_002.wav'));
const START_MS = 60_000;

let redis: TestRedis;
let ledger: Ledger;
const prefix = `test-${randomUUID()}`;
const workers: TestWorker[] = [];

beforeAll(async () => {
  redis = await startRedis();
  await prepareRedis(redis.url);
  const link = await connected(connectRedis({ url: redis.url, name: 'test', timeoutMs: 5000 }));
  ledger = createLedger(link, { prefix, processLeaseMs: 4000 });
});
afterAll(async () => {
  await ledger.link.close();
  await redis.stop();
});
afterEach(async () => {
  for (const worker of workers.splice(0)) {
    worker.kill('SIGKILL');
    await worker.ended;
    await ledger.workers.remove(MODEL, worker.id);
  }
});

async function start(env: NodeJS.ProcessEnv = {}, preload?: string): Promise<TestWorker> {
  const settings = { REDIS_URL: redis.url, REDIS_KEY_PREFIX: prefix, ...env };
  const worker = spawnWorker(await freePort(), settings, preload);
  workers.push(worker);
  return worker;
}

async function recordOf({ id }: TestWorker): Promise<WorkerRecord | undefined> {
  return (await ledger.workers.list(MODEL)).find((record) => record.id === id);
}

async function registered(worker: TestWorker): Promise<WorkerRecord> {
  return await eventually(`registered: ${worker.output()}`, START_MS, () => recordOf(worker));
}

async function finalOf(stream: Awaited<ReturnType<typeof openStream>>): Promise<string> {
  stream.audio(speech);
  stream.send({ type: 'flush' });
  return (await stream.next('final')).text;
}

test('a worker reports its state, registers and transcribes, and asks gateways to move its streams on SIGTERM', async () => {
  const worker = await start({ REVISION: 'r7' });
  expect(await eventually('the admin port responds', START_MS, () => ask(worker, '/livez'))).toEqual([200, 'ok\n']);
  const record = await registered(worker);
  expect(record).toMatchObject({ id: worker.id, revision: 'r7', slots: 2, active: 0, draining: false });
  expect(record.address).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/);
  await eventually('the worker is ready', 30_000, async () => (await ask(worker, '/readyz'))?.[0] === 200);

  const stream = await openStream(record);
  const text = await finalOf(stream);
  expect(text).not.toBe('');
  const [, metrics = ''] = (await ask(worker, '/metrics')) ?? [];
  expect(metrics).toMatch(/^svc_asr_worker_streams\{?.*\b1$/m);
  expect(metrics).toMatch(/^svc_asr_worker_slots\{?.*\b2$/m);
  expect(metrics).toMatch(/^svc_asr_worker_real_time_factor\{.*context="56,13".*\} 0\.\d+/m);
  expect(metrics).toMatch(/^svc_asr_worker_run_phase_seconds_total\{.*phase="compute".*\} \d/m);
  for (const name of ['runs_total', 'batch_size_total', 'run_seconds_total', 'audio_seconds_total', 'registered']) {
    expect(metrics).toContain(`svc_asr_worker_${name}`);
  }

  worker.kill('SIGTERM');
  await stream.next('move');
  expect(await recordOf(worker)).toMatchObject({ draining: true });
  expect(await finalOf(stream)).toBe(text);
  stream.close();
  expect(await worker.ended).toBe(0);
  expect(await recordOf(worker)).toBeUndefined();
  expect(worker.output()).not.toContain(text);
});

test('a draining worker ends after DRAIN_TIMEOUT_MS even if a stream has not moved', async () => {
  const worker = await start({ DRAIN_TIMEOUT_MS: '300' });
  const stream = await openStream(await registered(worker));
  worker.kill('SIGTERM');
  expect(await stream.closed).toMatchObject({ code: 1011 });
  expect(await worker.ended).toBe(0);
});

test('a worker keeps its streams while Redis is down, and registers again if Redis comes back without its record', async () => {
  const worker = await start();
  const stream = await openStream(await registered(worker));
  await redis.kill();
  const text = await finalOf(stream);
  expect(text).not.toBe('');
  await sleep(600);
  expect(await ask(worker, '/livez')).toEqual([200, 'ok\n']);
  await redis.restart();
  await eventually('Redis is connected', 30_000, () => ledger.link.ready);
  await ledger.workers.remove(MODEL, worker.id);
  await eventually('the worker is registered again', 30_000, () => recordOf(worker));
  expect(await finalOf(stream)).toBe(text);
  stream.close();
});

test('a worker that starts without Redis registers as soon as Redis is available', async () => {
  await redis.kill();
  const worker = await start();
  await eventually('the worker listens', START_MS, () => worker.output().includes('"listening"'));
  expect(await ask(worker, '/readyz')).toEqual([503, 'not registered in Redis yet\n']);
  await redis.restart();
  await eventually('Redis is connected', 30_000, () => ledger.link.ready);
  await registered(worker);
});

test('a worker logs only once that Redis lacks the functions of the ledger, and registers after the operator has loaded them', async () => {
  const empty = await startRedis();
  const worker = await start({ REDIS_URL: empty.url });
  await eventually('the missing library is logged', START_MS, () => worker.output().includes('svc_asr_1'));
  await sleep(2500);
  expect(worker.output().split('the worker cannot register yet')).toHaveLength(2);
  expect(await ask(worker, '/readyz')).toEqual([503, 'not registered in Redis yet\n']);
  await prepareRedis(empty.url);
  await eventually('the worker is ready', 30_000, async () => (await ask(worker, '/readyz'))?.[0] === 200);
  worker.kill('SIGKILL');
  await empty.stop();
});

test('a suspended worker loses its lease and registers again when it continues', async () => {
  const worker = await start();
  await registered(worker);
  worker.kill('SIGSTOP');
  await eventually('the lease is lost', 30_000, async () => (await recordOf(worker)) === undefined);
  worker.kill('SIGCONT');
  await registered(worker);
  expect((await ask(worker, '/livez'))?.[0]).toBe(200);
});

test('a worker that the operator drains refuses new streams, and asks gateways to move the existing ones', async () => {
  const worker = await start({ MOVE_AFTER_MS: '200' });
  const record = await registered(worker);
  const stream = await openStream(record);
  await ledger.workers.drain(MODEL, worker.id);
  await stream.next('move');
  await expect(openStream(record)).rejects.toThrow('4429 draining');
  expect(await ask(worker, '/readyz')).toEqual([503, 'draining\n']);
  expect(await finalOf(stream)).not.toBe('');
  stream.close();
  await sleep(1500);
  expect(await recordOf(worker)).toMatchObject({ draining: true });
});

/** Code with which the inference thread ends on SIGUSR2 and hangs on SIGHUP. All threads load this code. */
const FAULTS = `
  import threads from 'node:worker_threads';
  import { syncBuiltinESMExports } from 'node:module';
  const { Worker, isMainThread, workerData } = threads;
  const channel = new BroadcastChannel('faults');
  channel.unref();
  if (isMainThread) {
    process.on('SIGHUP', () => channel.postMessage('hang'));
    threads.Worker = class extends Worker {
      constructor(...args) {
        super(...args);
        if (args[1].name === 'inference') process.on('SIGUSR2', () => void this.terminate());
      }
    };
    syncBuiltinESMExports();
  } else if (workerData.modelDir !== undefined) {
    channel.onmessage = () => {
      for (;;);
    };
  }
`;

test('a worker whose inference thread hangs sends no more messages on its streams, loses its lease and fails /livez', async () => {
  const worker = await start({ HANG_TIMEOUT_MS: '1000', PROGRESS_INTERVAL_MS: '200' }, FAULTS);
  const stream = await openStream(await registered(worker));
  stream.audio(speech.subarray(0, 3200));
  const { connection } = stream;
  await eventually('alive arrives', 30_000, () => connection.aliveFrames > 0);
  worker.kill('SIGHUP');
  await eventually('the lease is lost', 30_000, async () => (await recordOf(worker)) === undefined);
  const before = [stream.answers.length, connection.aliveFrames];
  await eventually('/livez fails', 30_000, async () => (await ask(worker, '/livez'))?.[0] === 503);
  expect([stream.answers.length, connection.aliveFrames]).toEqual(before);
});

test('a worker whose inference thread ends exits with 1 and closes its streams with 1011', async () => {
  const worker = await start({}, FAULTS);
  const stream = await openStream(await registered(worker));
  worker.kill('SIGUSR2');
  expect(await stream.closed).toEqual({ code: 1011, reason: 'engine_failed' });
  expect(await worker.ended).toBe(1);
  expect(await recordOf(worker)).toBeUndefined();
});

test('a worker on CPUs loads ONNX Runtime, but not koffi', async () => {
  const worker = await start();
  await registered(worker);
  const mapped = readFileSync(`/proc/${worker.pid}/maps`, 'utf8');
  expect(mapped).toContain('libonnxruntime.so');
  expect(mapped).not.toContain('koffi');
});

test('a worker exits with 1 and names manifest.json in the log if its folder contains no model', async () => {
  const worker = await start({ MODEL_DIR: tmpdir() });
  expect(await worker.ended).toBe(1);
  expect(worker.output()).toContain('manifest.json');
});

test('a worker with a certificate accepts streams over TLS', async () => {
  const { cert, key } = await createCertificate();
  const folder = temporaryFolder('tls');
  const files = { TLS_CERT_FILE: join(folder, 'cert.pem'), TLS_KEY_FILE: join(folder, 'key.pem') };
  writeFileSync(files.TLS_CERT_FILE, cert);
  writeFileSync(files.TLS_KEY_FILE, key, { mode: 0o600 });
  const record = await registered(await start(files));
  expect(record.address).toMatch(/^wss:/);
  const stream = await openStream(record, cert);
  stream.send({ type: 'flush' });
  await stream.next('final');
  stream.close();
});
