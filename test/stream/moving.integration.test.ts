import { setTimeout as sleep } from 'node:timers/promises';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import type { CuttingProxy } from '../support/cutting-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { freeze } from '../support/freeze.ts';
import { MODEL } from '../support/gateway.ts';
import { freePort } from '../support/ports.ts';
import { recording } from '../support/recording.ts';
import { startWorker } from '../support/worker.ts';
import { setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Stage } from './stage.ts';

const { pcm } = recording();

let stage: Stage;
beforeAll(async () => {
  // On a busy machine, it may take long to resume a connection. The silence timeout must not move the stream meanwhile.
  stage = await setStage({ gateway: { WORKER_SILENCE_TIMEOUT_MS: '30000' } });
}, STAGE_TIMEOUT_MS);
afterAll(() => stage.stop());

async function kill(): Promise<void> {
  for (const worker of stage.workers.splice(0)) {
    await worker.stop('SIGKILL');
    await stage.ledger.workers.remove(MODEL, worker.id);
  }
}

async function start(settings: NodeJS.ProcessEnv = {}): Promise<void> {
  stage.workers.push(await startWorker(stage.redis.url, stage.prefix, settings));
}

/** Kills all workers and starts a new one, behind a proxy that can cut its connections. */
async function startBehindProxy(settings: NodeJS.ProcessEnv): Promise<CuttingProxy> {
  await kill();
  const port = await freePort();
  const proxy = await startCuttingProxy(port);
  await start({ PORT: String(port), ADVERTISE_ADDRESS: `ws://127.0.0.1:${proxy.port}`, ...settings });
  return proxy;
}

/** Returns the value of a counter of the gateway, summed over the lines that contain `label`. */
async function count(metric: string, label = ''): Promise<number> {
  const text = await (await fetch(`${stage.gateway.adminUrl}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(metric) && line.includes(label));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

const moves = () => count('svc_asr_stream_moves_total');
const losses = (outcome: string) => count('svc_asr_worker_connection_losses_total', `outcome="${outcome}"`);

test('streams continue at their worker without a move when the connection between gateway and worker is lost several times', async () => {
  const proxy = await startBehindProxy({ RESUME_TIMEOUT_MS: '60000' });
  const before = await moves();
  const opened = await Promise.all([1, 2, 3].map(() => stage.ready()));
  for (let at = 0; at < pcm.length; at += 6400) {
    for (const { stream } of opened) stream.socket.send(pcm.subarray(at, at + 6400));
    if (at % 32_000 !== 0) continue;
    const resumed = await losses('resumed');
    proxy.cutAfter(undefined);
    await eventually('the connection is resumed', 60_000, async () => (await losses('resumed')) > resumed);
  }
  for (const { stream } of opened) stream.send({ type: 'flush' });
  const finals = await Promise.all(opened.map(({ stream }) => stream.next('final', 60_000)));
  const direct = await stage.ready();
  direct.stream.audio(pcm);
  direct.stream.send({ type: 'flush' });
  const { text } = await direct.stream.next('final', 60_000);
  expect(finals.map((final) => final.text)).toEqual([text, text, text]);
  expect([await moves(), await losses('expired'), await losses('refused')]).toEqual([before, 0, 0]);
  for (const { stream } of [...opened, direct]) stream.close();
}, 180_000);

test('a stream moves to another worker when a lost connection between gateway and worker cannot be resumed in time', async () => {
  const proxy = await startBehindProxy({ RESUME_TIMEOUT_MS: '500' });
  const { stream } = await stage.ready();
  stream.audio(pcm.subarray(0, 64_000));
  await start();
  const [movesBefore, expiredBefore] = [await moves(), await losses('expired')];
  proxy.cutAfter(() => 0);
  await eventually('the stream moves', 60_000, async () => (await moves()) > movesBefore);
  expect(await losses('expired')).toBe(expiredBefore + 1);
  stream.audio(pcm.subarray(64_000));
  stream.send({ type: 'flush' });
  const { text } = await stream.next('final', 60_000);
  const direct = await stage.ready();
  direct.stream.audio(pcm);
  direct.stream.send({ type: 'flush' });
  expect((await direct.stream.next('final', 60_000)).text).toBe(text);
  for (const one of [stream, direct.stream]) one.close();
}, 180_000);

test('a config sent while the stream moves is acknowledged by the next worker, and the stream takes only one slot there', async () => {
  const opened = await stage.ready();
  const { stream } = opened;
  stream.send({ type: 'config', context: [56, 3] });
  await stream.next('config_ack');
  stream.audio(pcm);
  stream.send({ type: 'flush' });
  const { text } = await stream.next('final');
  stream.send({ type: 'config', context: [56, 13] });
  await stream.next('config_ack');

  await kill();
  // Long enough for the gateway to notice the loss of the worker and to find no other worker.
  await sleep(1000);
  stream.send({ type: 'config', context: [56, 3] });
  stream.audio(pcm);
  stream.send({ type: 'flush' });
  await sleep(1000);
  await start({ SLOTS: '1' });
  expect(await stream.next('config_ack', 30_000)).toMatchObject({ context_size: [56, 3] });
  expect(await stream.next('final', 30_000)).toMatchObject({ text, utterance: 2 });
  stream.close();
  expect(await stream.closed).toMatchObject({ code: 1000 });
  expect(await stage.settled(opened)).toMatchObject({ state: 'completed', audioMs: Math.ceil(pcm.length / 16) });
});

test('if a worker is killed before it answers a flush, the next worker first answers the flush and then applies the config that followed it', async () => {
  const { stream } = await stage.ready();
  await freeze(...stage.workers.map(({ pid }) => pid));
  // Sends only a little audio. With more, the gateway would stop reading before it receives the config.
  stream.audio(pcm.subarray(0, 48_000));
  stream.send({ type: 'flush' });
  stream.send({ type: 'config', context: [56, 3] });
  await kill();
  await start();
  await stream.next('config_ack', 30_000);
  const answers = stream.events.filter(({ type }) => type === 'final' || type === 'config_ack');
  expect(answers).toMatchObject([
    { type: 'final', utterance: 1 },
    { type: 'config_ack', context_size: [56, 3] },
  ]);
  stream.close();
});
