import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { goldenFolder, modelsFolder, readWav } from '../testing/data.ts';
import { createGoldenFolder, createGpuFolder } from '../testing/folder.ts';
import { nearly } from '../testing/nearly.ts';
import { writeAll } from '../testing/transcribe.ts';
import type { Engine } from './engine.ts';
import type { Delta, Final } from './protocol.ts';
import { startEngine } from './start.ts';

const SECOND = 16_000;
const FRAME_SAMPLES = 1280;
const folder = join(modelsFolder, 'svc-asr-kikuyu-v1');
const [first, second] = readdirSync(join(folder, 'eval'))
  .filter((name) => name.endsWith('.wav'))
  .map((name) => readWav(join(folder, 'eval', name)))
  .sort((one, other) => one.length - other.length) as [Int16Array, Int16Array];
const [FIRST, SECOND_PART, PAUSE] = [2.5 * SECOND, 2 * SECOND, 1.2 * SECOND];
/** Parts of two recordings, each followed by a long pause. */
const speech = join16([
  first.subarray(0, FIRST),
  new Int16Array(PAUSE),
  second.subarray(0, SECOND_PART),
  new Int16Array(PAUSE),
]);
const noise = readWav(join(goldenFolder, 'speech.wav')).subarray(0, 40_000);

function join16(parts: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

interface Run {
  context: [number, number];
  silenceMs?: number | undefined;
  notBefore?: number;
  /** Samples at which the test flushes. It also flushes at the end of the audio. */
  flushes?: readonly number[];
  /** Sizes of the writes in samples. After the last size, the list starts again. */
  sizes?: readonly number[];
}

type Utterance = Pick<Final, 'text' | 'words' | 'startSample' | 'endSample'>;

/** Streams the audio. Returns the utterances, the samples at which endpointing cut utterances, and the deltas. */
async function recognize(engine: Engine, audio: Int16Array, run: Run) {
  const { context, silenceMs, notBefore = 0, flushes = [], sizes = [3200] } = run;
  const endpointing = silenceMs === undefined ? undefined : { silenceMs, notBefore };
  while (engine.freeSlots === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const stream = engine.open({ context, endpointing });
  const [utterances, cuts, deltas]: [Utterance[], number[], Delta[]] = [[], [], []];
  let marks = flushes.length + 1;
  const ended = new Promise<void>((resolve, reject) => {
    stream.on('error', reject);
    stream.on('delta', (delta) => deltas.push(delta));
    stream.on('final', ({ text, words, startSample, endSample, isEndpoint }) => {
      utterances.push({ text, words, startSample, endSample });
      if (isEndpoint) cuts.push(endSample);
      else if (--marks === 0) resolve();
    });
  });
  let at = 0;
  let turn = 0;
  for (const end of [...flushes, audio.length]) {
    while (at < end) {
      const size = Math.min(sizes[turn++ % sizes.length] ?? 1, end - at);
      await writeAll(stream, [audio.subarray(at, at + size)]);
      at += size;
    }
    stream.flush();
  }
  await ended;
  stream.close();
  return { utterances, cuts, deltas };
}

const merge = (...marks: (readonly number[])[]) => marks.flat().sort((one, other) => one - other);

/** Engines by name. Tests share them, because their warm-up takes seconds. */
const engines = new Map<string, Promise<Engine>>();

function engineOf(modelDir: string, options: { gpuGraphs?: boolean } = {}): Promise<Engine> {
  const name = `${modelDir} ${JSON.stringify(options)}`;
  const engine = engines.get(name) ?? startEngine({ modelDir, slots: 4, maxBatch: 2, ...options });
  engines.set(name, engine);
  return engine;
}
afterAll(async () => {
  for (const engine of engines.values()) await (await engine).close();
});

const [fused, split] = [createGpuFolder('fused'), createGoldenFolder('split')];

// The transducers of the tests have random weights and find pieces in all frames. With a silence of 0, the first cut is
// therefore at `notBefore`, and a further cut follows after each frame.
test.each([
  ['CTC model on onnxruntime-node', folder, speech, { silenceMs: 240 }, {}],
  ['CTC model with GPU graphs', folder, speech, { silenceMs: 240 }, { gpuGraphs: true }],
  ['fused transducer on onnxruntime-node', fused, noise, { silenceMs: 0, notBefore: 30_000 }, {}],
  ['split transducer on onnxruntime-node', split, noise, { silenceMs: 0, notBefore: 25_000 }, {}],
  ['transducer with GPU graphs', fused, noise, { silenceMs: 0, notBefore: 30_000 }, { gpuGraphs: true }],
] as const)(
  'for each context, Engine with a %s returns the same utterances whether cuts or flushes at the same samples end them',
  async (_, modelDir, audio, endpointing, options) => {
    const engine = await engineOf(modelDir, options);
    const found: number[] = [];
    for (const { context } of engine.info.contexts) {
      const size = { context: [...context] as [number, number] };
      const { utterances, cuts, deltas } = await recognize(engine, audio, { ...size, ...endpointing });
      const flushed = await recognize(engine, audio, { ...size, flushes: cuts });
      expect(utterances).toEqual(flushed.utterances.map(nearly));
      for (const { startSample, endSample } of utterances) {
        if (cuts.includes(endSample)) expect((endSample - startSample) % FRAME_SAMPLES).toBe(0);
      }
      for (const { utterance, text } of deltas) expect(utterances[utterance]?.text.startsWith(text)).toBe(true);
      found.push(cuts.length);
    }
    expect(Math.min(...found)).toBeGreaterThan(0);
  },
);

test.each([
  ['onnxruntime-node', {}],
  ['GPU graphs', { gpuGraphs: true }],
])(
  'Engine with %s cuts at the same samples, however the audio is split into writes, and also if the caller flushes',
  async (_, options) => {
    const engine = await engineOf(folder, options);
    const sizes = fc.array(fc.integer({ min: 160, max: 40_000 }), { minLength: 1, maxLength: 6 });
    const flushes = fc.uniqueArray(fc.integer({ min: 1, max: speech.length - 1 }), { maxLength: 3 });
    const contexts = fc.constantFrom(...engine.info.contexts.map(({ context }) => [...context] as [number, number]));
    await fc.assert(
      fc.asyncProperty(contexts, sizes, flushes, async (context, pieces, ends) => {
        const run = { context, silenceMs: 240, flushes: merge(ends) };
        const [cut, whole] = await Promise.all([
          recognize(engine, speech, { ...run, sizes: pieces }),
          recognize(engine, speech, { ...run, sizes: [40_000] }),
        ]);
        expect(cut).toEqual({ ...whole, utterances: whole.utterances.map(nearly), deltas: cut.deltas });
        const flushed = await recognize(engine, speech, { context, flushes: merge(ends, cut.cuts) });
        expect(flushed.utterances).toEqual(cut.utterances.map(nearly));
      }),
      { numRuns: 2 },
    );
  },
);

describe('Engine with endpointing', () => {
  const context: [number, number] = [56, 13];
  let engine: Engine;
  beforeAll(async () => {
    engine = await engineOf(folder);
  });

  test('ends an utterance in the pause after each recording, but ends none in audio that is only silence', async () => {
    const { cuts } = await recognize(engine, speech, { context, silenceMs: 800 });
    for (const end of [FIRST, FIRST + PAUSE + SECOND_PART]) {
      expect(cuts.filter((cut) => cut > end + 0.5 * SECOND && cut <= end + PAUSE)).toHaveLength(1);
    }
    expect((await recognize(engine, new Int16Array(3 * SECOND), { context, silenceMs: 200 })).cuts).toEqual([]);
  });

  test('does not cut the first utterance before notBefore, up to which another worker has already sent text', async () => {
    const usual = await recognize(engine, speech, { context, silenceMs: 800 });
    const [cut = 0] = usual.cuts;
    const same = await recognize(engine, speech, { context, silenceMs: 800, notBefore: cut });
    expect(same.cuts).toEqual(usual.cuts);
    const later = await recognize(engine, speech, { context, silenceMs: 800, notBefore: cut + 1 });
    expect(later.cuts[0]).toBe(cut + FRAME_SAMPLES);
  });

  test('reports the start of the first word with each delta, and no start without endpointing', async () => {
    const { utterances, deltas } = await recognize(engine, speech, { context, silenceMs: 800 });
    for (const { utterance, speechStartMs } of deltas) {
      expect(speechStartMs).toBe(utterances[utterance]?.words[0]?.start_ms);
    }
    const plain = await recognize(engine, speech, { context });
    expect(plain.deltas.filter(({ speechStartMs }) => speechStartMs !== undefined)).toEqual([]);
  });
});
