import { startEngine } from '@svc-asr/worker';
import { WebSocket } from 'ws';
import { modelFolder, recordings } from '../support/recording.ts';
import type { Recording } from '../support/recording.ts';
import { sessionOf } from '../support/refusals.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { StreamClient } from '../support/stream-client.ts';
import { wordErrorRate, wordsOf } from '../support/word-errors.ts';
import { transcribeOffline } from './offline.ts';

const DEFAULT_CONTEXT: [number, number] = [56, 13];
/** Number of parallel streams. The pool grows to two workers, and each of them accepts at least one stream. */
const STREAMS_AT_ONCE = 2;
/** Time limit for `ready`. It includes the start of a worker, because the pool starts at zero. */
const READY_WITHIN_MS = 90_000;
const FINAL_WITHIN_MS = 60_000;

let service: Service;
beforeAll(async () => {
  service = await startService();
}, START_TIMEOUT_MS);
afterAll(stopServices, START_TIMEOUT_MS);

/** Transcribes each recording with the engine alone, without the service. Returns the transcripts. */
async function offline(model: string, spoken: readonly Recording[]): Promise<string[]> {
  const engine = await startEngine({ modelDir: modelFolder(model), slots: spoken.length });
  const texts: string[] = [];
  for (const { pcm } of spoken) texts.push((await transcribeOffline(engine, pcm, DEFAULT_CONTEXT)).text);
  await engine.close();
  return texts;
}

/** Returns the transcript that a caller receives for one recording over TLS. */
async function transcribe(model: string, key: string, pcm: Buffer): Promise<string> {
  const session = sessionOf(await service.create(key, { model, max_audio_seconds: 60 }));
  const stream = new StreamClient(
    new WebSocket(session.websocket_url, session.websocket_protocols, { ca: service.ca }),
  );
  await stream.next('ready', READY_WITHIN_MS);
  stream.audio(pcm, 3200);
  stream.send({ type: 'flush' });
  const { text } = await stream.next('final', FINAL_WITHIN_MS);
  stream.close();
  await stream.closed;
  return text;
}

async function throughTheService(model: string, spoken: readonly Recording[]): Promise<string[]> {
  const { key } = await service.tenant({ seconds: 3600 });
  const texts: string[] = [];
  const left = [...spoken.entries()];
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      texts[next[0]] = await transcribe(model, key, next[1].pcm);
    }
  };
  await Promise.all(Array.from({ length: STREAMS_AT_ONCE }, work));
  return texts;
}

test.each(['svc-asr-kikuyu-v1', 'svc-asr-dholuo-v1'])(
  'for the model %s, the word error rates of the whole service and of the engine alone differ by at most one percentage point',
  async (model) => {
    const spoken = recordings(model);
    const texts = spoken.map(({ text }) => text);
    expect(texts.flatMap(wordsOf).length).toBeGreaterThan(80);
    const own = wordErrorRate(texts, await offline(model, spoken));
    const served = wordErrorRate(texts, await throughTheService(model, spoken));
    process.stdout.write(
      `${model}: word error rate ${served.toFixed(1)} % over wss, ${own.toFixed(1)} % by itself, ` +
        `${spoken.length} recordings of ${texts.flatMap(wordsOf).length} words\n`,
    );
    expect(Math.abs(served - own)).toBeLessThanOrEqual(1);
    // If both transcripts were meaningless, their rates would also be similar, but far higher.
    expect(own).toBeLessThan(50);
  },
  300_000,
);
