import { readdirSync } from 'node:fs';
import { startEngine } from '@svc-asr/worker';
import type { Engine, Final } from '@svc-asr/worker';
import { recording } from '../support/recording.ts';
import { MODEL_FOLDER } from '../support/worker.ts';
import { setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Stage } from './stage.ts';

type Transcript = Pick<Final, 'text' | 'words'>;

const names = readdirSync(`${MODEL_FOLDER}/eval`)
  .filter((name) => name.endsWith('.wav'))
  .map((name) => name.slice(0, -'.wav'.length));
const recordings = names.map((name) => recording(name));

let stage: Stage;
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine({ modelDir: MODEL_FOLDER, slots: recordings.length });
  stage = await setStage();
}, STAGE_TIMEOUT_MS);
afterAll(async () => {
  await engine.close();
  await stage.stop();
});

/** What the engine makes of a recording by itself. */
async function offline(pcm: Buffer, context: [number, number]): Promise<Transcript> {
  const stream = engine.open({ context });
  const final = new Promise<Transcript>((resolve, reject) => {
    stream.once('final', resolve);
    stream.once('error', reject);
  });
  for (let at = 0; at < pcm.length; at += 32_000) {
    if (!stream.write(pcm.subarray(at, at + 32_000)))
      await new Promise<void>((resolve) => stream.once('drain', resolve));
  }
  stream.flush();
  const { text, words } = await final;
  stream.close();
  return { text, words };
}

/** What the whole service makes of it. */
async function online(pcm: Buffer, context: [number, number], frameBytes: number): Promise<Transcript> {
  const { stream } = await stage.ready();
  stream.send({ type: 'config', context });
  stream.audio(pcm, frameBytes);
  stream.send({ type: 'flush' });
  const { text, words } = await stream.next('final');
  stream.close();
  return { text, words };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}']+/gu) ?? [];
}

/** Word errors of a transcript: the least insertions, deletions and substitutions. */
function wordErrors(reference: string, text: string): number {
  const [said, got] = [wordsOf(reference), wordsOf(text)];
  let row = Array.from({ length: got.length + 1 }, (_, at) => at);
  for (const [i, word] of said.entries()) {
    const next = [i + 1];
    for (const [j, other] of got.entries()) {
      next.push(Math.min(row[j]! + (word === other ? 0 : 1), row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}

test.each<[number, number]>([
  [56, 13],
  [56, 3],
])(
  'the service gives the transcripts of the engine with the context [%i, %i]',
  async (...context) => {
    expect(recordings.length).toBeGreaterThan(3);
    const alone: Transcript[] = [];
    for (const { pcm } of recordings) alone.push(await offline(pcm, context));
    const frames = [640, 3200, 6400, 32_000, 65_536, 1280];
    const served = await Promise.all(
      recordings.map(({ pcm }, at) => online(pcm, context, frames[at % frames.length]!)),
    );
    expect(served).toEqual(alone);
    const words = recordings.reduce((sum, { text }) => sum + wordsOf(text).length, 0);
    const errors = recordings.reduce((sum, { text }, at) => sum + wordErrors(text, served[at]!.text), 0);
    expect(errors / words).toBeLessThan(0.5);
  },
  60_000,
);
