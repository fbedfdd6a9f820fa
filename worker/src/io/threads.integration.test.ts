import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { connectRedis, createLedger } from '@svc-asr/ledger';
import type { Ledger, WorkerRecord } from '@svc-asr/ledger';
import { connected } from '../../../test/support/connected.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { freePort } from '../../../test/support/ports.ts';
import { startRedis } from '../../../test/support/redis.ts';
import type { TestRedis } from '../../../test/support/redis.ts';
import { prepareRedis } from '../../../test/support/worker.ts';
import { readWav } from '../testing/data.ts';
import { ask, createTicket, MODEL, MODEL_DIR, openStream, spawnWorker } from '../testing/process.ts';
import type { TestWorker } from '../testing/process.ts';
import { RelayClient } from '../testing/relay-client.ts';

const speech = readWav(join(MODEL_DIR, 'eval/ki_espeak_002.wav'));
const WAIT_MS = 240_000;
/**
 * Time limit of a test with slow I/O threads. These threads use seconds of CPU time, which can take minutes on a busy
 * machine.
 */
const SLOW_TEST_MS = 600_000;

let redis: TestRedis;
let ledger: Ledger;
let worker: TestWorker;
const prefix = `test-${randomUUID()}`;

beforeAll(async () => {
  redis = await startRedis();
  await prepareRedis(redis.url);
  const link = await connected(connectRedis({ url: redis.url, name: 'test', timeoutMs: 5000 }));
  ledger = createLedger(link, { prefix, processLeaseMs: 4000 });
});
afterEach(async () => {
  worker.kill('SIGKILL');
  await worker.ended;
  await ledger.workers.remove(MODEL, worker.id);
});
afterAll(async () => {
  await ledger.link.close();
  await redis.stop();
});

const recordOf = async () => (await ledger.workers.list(MODEL)).find(({ id }) => id === worker.id);

/**
 * Starts a worker with two I/O threads. Returns its record, and a copy of the record with the address of the second
 * thread.
 */
async function start(env: NodeJS.ProcessEnv = {}, preload?: string): Promise<[WorkerRecord, WorkerRecord]> {
  const settings = { REDIS_URL: redis.url, REDIS_KEY_PREFIX: prefix, IO_THREADS: '2', ...env };
  worker = spawnWorker(await freePort(), settings, preload);
  const record = await eventually(`registered: ${worker.output()}`, WAIT_MS, recordOf);
  const [address = '', ...others] = record.furtherAddresses ?? [];
  expect(others).toEqual([]);
  expect(new Set([record.address, address]).size).toBe(2);
  return [record, { ...record, address }];
}

async function finalOf(stream: RelayClient): Promise<string> {
  stream.audio(speech);
  stream.send({ type: 'flush' });
  return (await stream.next('final')).text;
}

/** Code with which the second I/O thread fails on SIGUSR2 and hangs on SIGHUP. All threads load this code. */
const FAULTS = `
  import { isMainThread, workerData } from 'node:worker_threads';
  const channel = new BroadcastChannel('faults');
  channel.unref();
  if (isMainThread) {
    process.on('SIGUSR2', () => channel.postMessage('fail'));
    process.on('SIGHUP', () => channel.postMessage('hang'));
  } else if (workerData.index === 1) {
    channel.onmessage = ({ data }) => {
      if (data === 'fail') throw new Error('injected fault');
      for (;;);
    };
  }
`;

describe('a worker with two I/O threads', () => {
  test('transcribes on both ports, counts streams and audio of both ports together, and asks the gateways of both ports to move their streams on SIGTERM', async () => {
    const records = await start();
    const streams = await Promise.all(records.map((record) => openStream(record)));
    const texts = await Promise.all(streams.map(finalOf));
    expect(texts[0]).not.toBe('');
    expect(texts[1]).toBe(texts[0]);
    const [, metrics = ''] = (await ask(worker, '/metrics')) ?? [];
    expect(metrics).toMatch(/^svc_asr_worker_streams\{.*\} 2$/m);
    const seconds = Number(/^svc_asr_worker_audio_seconds_total\{.*\} (\S+)$/m.exec(metrics)?.[1]);
    expect(seconds).toBeCloseTo((2 * speech.length) / 16_000, 3);

    worker.kill('SIGTERM');
    for (const stream of streams) await stream.next('move');
    expect(await recordOf()).toMatchObject({ draining: true });
    for (const stream of streams) stream.close();
    expect(await worker.ended).toBe(0);
  });

  test('accepts each ticket on only one of its ports, and lets the streams of one port use all slots', async () => {
    const [first, second] = await start({ SLOT_WAIT_TIMEOUT_MS: '3000' });
    const ticket = createTicket(worker.id);
    const open = async (address: string, text: string) => {
      const stream = await RelayClient.connect(address, text);
      stream.send({ type: 'open', context: [56, 13] });
      return stream;
    };
    const stream = await open(second.address, ticket);
    await stream.next('opened');
    expect(await (await open(first.address, ticket)).closed).toEqual({ code: 4401, reason: 'bad_ticket' });
    await openStream(second);
    expect(await (await open(first.address, createTicket(worker.id))).closed).toMatchObject({ code: 4429 });
    stream.close();
    await openStream(first);
    const ended = /^svc_asr_worker_connections_ended_total\{.*code="bad_ticket".*\} 1$/m;
    await eventually('the refusal is counted', WAIT_MS, async () =>
      ended.test((await ask(worker, '/metrics'))?.[1] ?? ''),
    );
  });

  test('exits with 1 if an I/O thread fails, logs which thread failed, and closes the streams of the other thread with 1011', async () => {
    const [first, second] = await start({}, FAULTS);
    const streams = [await openStream(first), await openStream(second)] as const;
    worker.kill('SIGUSR2');
    expect(await streams[0].closed).toEqual({ code: 1011, reason: 'engine_failed' });
    expect(await streams[1].closed).toMatchObject({ code: 1006 });
    expect(await worker.ended).toBe(1);
    expect(worker.output()).toContain('I/O thread 2 of 2 failed: injected fault');
    expect(await recordOf()).toBeUndefined();
  });

  test('loses its lease and fails /livez if an I/O thread hangs, while the other thread continues', async () => {
    const [first] = await start({ HANG_TIMEOUT_MS: '1000' }, FAULTS);
    const stream = await openStream(first);
    worker.kill('SIGHUP');
    await eventually('the lease is lost', WAIT_MS, async () => (await recordOf()) === undefined);
    await eventually('/livez fails', WAIT_MS, async () => (await ask(worker, '/livez'))?.[0] === 503);
    expect(await finalOf(stream)).not.toBe('');
  });
});

/**
 * Code with which each copy of audio in an I/O thread takes 50 ms of CPU time. A frame of 100 ms is copied in two
 * parts, so one stream uses the thread completely.
 */
const SLOW_IO = `
  import { isMainThread, workerData } from 'node:worker_threads';
  if (!isMainThread && workerData.usedTickets !== undefined) {
    const { copy } = Buffer.prototype;
    Buffer.prototype.copy = function (...args) {
      const start = process.threadCpuUsage();
      for (let cpuMs = 0; cpuMs < 50; ) {
        const { user, system } = process.threadCpuUsage(start);
        cpuMs = (user + system) / 1000;
      }
      return copy.apply(this, args);
    };
  }
`;

test(
  'a worker whose I/O threads have time for only one stream registers one slot',
  async () => {
    const measuring = { SLOTS: '0', MAX_SLOTS: '16', MAX_BATCH: '4' };
    await start(measuring);
    /**
     * Returns the number of slots in the last log line about slots. The I/O threads are measured after the engine, so
     * the last line includes both limits.
     */
    const measuredSlots = () => {
      const lines = worker.output().split('\n');
      const found = lines.findLast((line) =>
        /"(model loaded|slots measured|the I\/O threads limit the slots)"/.test(line),
      );
      return (JSON.parse(found ?? '{}') as { amount?: number }).amount;
    };
    expect(await recordOf()).toMatchObject({ slots: measuredSlots(), active: 0 });
    const [, metrics = ''] = (await ask(worker, '/metrics')) ?? [];
    expect(metrics).toMatch(/^svc_asr_worker_audio_seconds_total\{.*\} 0$/m);
    const empty = /^svc_asr_worker_streams\{.*\} 0$/m;
    await eventually('all slots are free', WAIT_MS, async () => empty.test((await ask(worker, '/metrics'))?.[1] ?? ''));
    worker.kill('SIGKILL');
    await worker.ended;

    const [record] = await start(measuring, SLOW_IO);
    expect([measuredSlots(), record.slots]).toEqual([1, 1]);
  },
  SLOW_TEST_MS,
);

/** Code with which every copy of audio in an I/O thread fails. */
const BROKEN_IO = `
  import { isMainThread, workerData } from 'node:worker_threads';
  if (!isMainThread && workerData.usedTickets !== undefined) {
    Buffer.prototype.copy = () => {
      throw new Error('injected fault');
    };
  }
`;

test('if an I/O thread fails while slots are measured, the worker exits with 1 and logs which thread failed', async () => {
  const settings = { REDIS_URL: redis.url, REDIS_KEY_PREFIX: prefix, SLOTS: '0', MAX_SLOTS: '16', MAX_BATCH: '4' };
  worker = spawnWorker(await freePort(), settings, BROKEN_IO);
  expect(await worker.ended).toBe(1);
  expect(worker.output()).toContain('I/O thread 1 of 1 failed: injected fault');
});
