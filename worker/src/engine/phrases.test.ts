import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRightWords } from '../../../test/support/right-words.ts';
import type { Phrase } from '../decode/phrases/graph.ts';
import { goldenFolder, modelsFolder, readWav } from '../testing/data.ts';
import { createGoldenFolder } from '../testing/folder.ts';
import { nextFinal, transcribe, writeAll } from '../testing/transcribe.ts';
import type { Engine } from './engine.ts';
import type { Final } from './protocol.ts';
import { startEngine } from './start.ts';

const DEFAULT_BOOST = 5;
const phrasesOf = (words: readonly string[]): Phrase[] => words.map((text) => ({ text, boost: DEFAULT_BOOST }));

/** Returns the words that are spoken in a recording but missing in its transcript. Omits very short words. */
function missingWords(spoken: string, recognized: string): string[] {
  const words = spoken.split(/\s+/);
  const isRight = findRightWords(recognized.split(/\s+/), words);
  return [...new Set(words.filter((word, i) => isRight[i] !== true && word.length >= 4))];
}

const countRight = (spoken: string, recognized: string): number =>
  findRightWords(spoken.split(/\s+/), recognized.split(/\s+/)).filter(Boolean).length;

describe.each(['svc-asr-kikuyu-v1', 'svc-asr-dholuo-v1'])('Engine with the model %s and phrases', (id) => {
  const modelDir = join(modelsFolder, id);
  const recordings = readdirSync(join(modelDir, 'eval'))
    .filter((name) => name.endsWith('.wav'))
    .map((name) => {
      const path = join(modelDir, 'eval', name);
      return { audio: readWav(path), text: readFileSync(path.replace(/wav$/, 'txt'), 'utf8').trim() };
    });
  let engine: Engine;
  /** Finals of the recordings without phrases. */
  const plain: Final[] = [];
  beforeAll(async () => {
    engine = await startEngine({ modelDir, slots: 1, measureMs: 0 });
    for (const { audio } of recordings) plain.push(await recognize(engine, audio, []));
  });
  afterAll(async () => {
    await engine.close();
  });

  async function recognize(on: Engine, audio: Int16Array, phrases: readonly Phrase[]): Promise<Final> {
    while (on.freeSlots === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    return (await transcribe(on, audio, { sizes: [3200], phrases })).final;
  }

  test('recognizes more words if the phrases include, among other words, the words that it misses without phrases', async () => {
    let [before, after, missed, found] = [0, 0, 0, 0];
    for (const [i, { audio, text }] of recordings.entries()) {
      const missing = missingWords(text, plain[i]?.text ?? '');
      const others = (recordings[(i + 1) % recordings.length]?.text ?? '').split(' ');
      const final = await recognize(engine, audio, phrasesOf([...missing, ...others].slice(0, 50)));
      before += countRight(text, plain[i]?.text ?? '');
      after += countRight(text, final.text);
      missed += missing.length;
      found += missing.filter((word) => final.text.split(' ').includes(word)).length;
    }
    expect(missed).toBeGreaterThan(10);
    expect(found).toBeGreaterThan(missed / 3);
    expect(after).toBeGreaterThan(before + missed / 4);
  });

  test('returns the same words, times and confidences as without phrases if no phrase is spoken', async () => {
    const phrases = phrasesOf(['johannesburg', 'xylophone quartet', 'Zwischenstation', '\u0416\u0443\u043a']);
    for (const [i, { audio }] of recordings.entries()) {
      const { words, text } = await recognize(engine, audio, phrases);
      expect({ words, text }).toEqual({ words: plain[i]?.words, text: plain[i]?.text });
    }
  });

  test('recognizes nearly as many phrases with GPU graphs as without them', async () => {
    const gpu = await startEngine({ modelDir, slots: 1, maxBatch: 1, measureMs: 0, gpuGraphs: true });
    const [recording, first] = [recordings[0], plain[0]];
    const missing = missingWords(recording?.text ?? '', first?.text ?? '');
    const finals = [];
    for (const on of [engine, gpu]) {
      finals.push(await recognize(on, recording?.audio ?? new Int16Array(0), phrasesOf(missing)));
    }
    await gpu.close();
    const [host = 0, device = 0] = finals.map(
      ({ text }) => missing.filter((word) => text.split(' ').includes(word)).length,
    );
    expect(host).toBeGreaterThan(0);
    expect(device).toBeGreaterThanOrEqual(host - 1);
    expect(device).toBeGreaterThan(0);
  });

  test('cuts an utterance at a pause and returns the same text as for a flush at that sample', async () => {
    const [recording, first] = [recordings[0], plain[0]];
    const speech = recording?.audio ?? new Int16Array(0);
    const audio = new Int16Array(speech.length + 32_000);
    audio.set(speech);
    const missing = missingWords(recording?.text ?? '', first?.text ?? '');
    const phrases = phrasesOf(missing);
    while (engine.freeSlots === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const stream = engine.open({ phrases, endpointing: { silenceMs: 1000, notBefore: 0 } });
    const cut = nextFinal(stream);
    for (let at = 0; at < audio.length; at += 3200) await writeAll(stream, [audio.subarray(at, at + 3200)]);
    stream.flush();
    const { isEndpoint, endSample, text, words } = await cut;
    stream.close();
    expect(isEndpoint).toBe(true);
    const flushed = await recognize(engine, audio.subarray(0, endSample), phrases);
    expect({ text, words }).toEqual({ text: flushed.text, words: flushed.words });
    expect(text.split(' ').some((word) => missing.includes(word))).toBe(true);
  });
});

test('Engine with a transducer reports that it does not support phrases, and ignores them', async () => {
  const engine = await startEngine({ modelDir: createGoldenFolder('fused'), slots: 2, measureMs: 0 });
  const audio = readWav(join(goldenFolder, 'speech.wav')).subarray(0, 60_000);
  const [plain, biased] = [
    await transcribe(engine, audio),
    await transcribe(engine, audio, { phrases: phrasesOf(['a']) }),
  ];
  await engine.close();
  expect(engine.info.supportsPhrases).toBe(false);
  expect(biased.final.text).toBe(plain.final.text);
});
