import { setTimeout as sleep } from 'node:timers/promises';
import { MODEL } from '../support/gateway.ts';
import { recording } from '../support/recording.ts';
import { startWorker } from '../support/worker.ts';
import { setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Stage } from './stage.ts';

const { pcm } = recording();

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
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
  // Long enough for the gateway to notice and to search without success.
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

test('a config behind an unanswered flush is applied by the next worker after it has answered the flush', async () => {
  const { stream } = await stage.ready();
  for (const { pid } of stage.workers) process.kill(pid, 'SIGSTOP');
  // Little enough that the gateway reads on to the config.
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
