import { WebSocket } from 'ws';
import { eventually } from '../support/eventually.ts';
import { MODEL } from '../support/gateway.ts';
import { recording } from '../support/recording.ts';
import type { Service } from '../support/service.ts';
import { StreamClient } from '../support/stream-client.ts';
import type { SessionBody } from '../support/stream-client.ts';
import type { TestWorker } from '../support/worker.ts';
import type { Prometheus } from './prometheus.ts';

/** Size of a frame. Frames are sent in real time, because latency is measured only then. */
const FRAME_BYTES = 3200;
const FRAME_MS = 100;
const AUDIO_BYTES = 32_000 * 5;
const WAIT_MS = 60_000;

/**
 * Generates traffic: three streams and two refused requests. The worker of the second stream drains. Waits after each
 * stream until Prometheus has scraped the end of that stream, so that counters grow between scrapes.
 */
export async function generateTraffic(service: Service, workers: TestWorker[], prometheus: Prometheus): Promise<void> {
  const seen = (count: number) =>
    eventually(`Prometheus has seen ${count} streams end`, WAIT_MS, async () => {
      const [ended] = await prometheus.query('sum(svc_asr_streams_ended_total)');
      return ended !== undefined && ended.value >= count;
    });
  await service.usage('svc_live_wrong');
  await streamAudio(service);
  await seen(1);
  await streamAudio(service, async () => {
    const busy = await eventually('a worker has the stream', WAIT_MS, () => findBusy(workers));
    workers.splice(workers.indexOf(busy), 1);
    await busy.stop();
  });
  await seen(2);
  await service.usage('svc_live_wrong');
  await streamAudio(service);
  await seen(3);
}

/** Returns the worker that has a stream. */
async function findBusy(workers: readonly TestWorker[]): Promise<TestWorker | undefined> {
  for (const worker of workers) {
    const metrics = await (await fetch(`${worker.adminUrl}/metrics`)).text();
    if (/^svc_asr_worker_streams\S* 1$/m.test(metrics)) return worker;
  }
  return undefined;
}

/** Streams audio for five seconds and calls `meanwhile` after the first second. */
async function streamAudio(service: Service, meanwhile?: () => Promise<void>): Promise<void> {
  const answer = await service.create(service.apiKey, { model: MODEL, max_audio_seconds: 60 });
  const { websocket_url: url, websocket_protocols: protocols } = answer.body as SessionBody;
  const stream = new StreamClient(new WebSocket(url, protocols, { ca: service.ca, perMessageDeflate: false }));
  await stream.next('ready', WAIT_MS);
  const pcm = recording().pcm.subarray(0, AUDIO_BYTES);
  const startMs = performance.now();
  for (let at = 0; at < pcm.length; at += FRAME_BYTES) {
    const dueMs = startMs + (at / FRAME_BYTES) * FRAME_MS;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())));
    stream.socket.send(pcm.subarray(at, at + FRAME_BYTES));
    if (at === FRAME_BYTES * 10) await meanwhile?.();
  }
  stream.send({ type: 'flush' });
  await stream.next('final', WAIT_MS);
  stream.close();
  await stream.closed;
}
