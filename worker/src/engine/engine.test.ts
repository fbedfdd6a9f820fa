import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { goldenFolder, readWav } from '../testing/data.ts';
import { createGpuFolder } from '../testing/folder.ts';
import { nextFinal, transcribe, writeAll } from '../testing/transcribe.ts';
import { Engine } from './engine.ts';
import type { Final, ModelInfo } from './protocol.ts';
import { BUFFER_SAMPLES, createSharedBuffers, RING_SAMPLES } from './shared.ts';
import { startEngine } from './start.ts';

const audio = readWav(join(goldenFolder, 'speech.wav'));

describe.each([
  ['onnxruntime-node', 'ctc', {}],
  ['GPU graphs', 'ctc', { gpuGraphs: true }],
  ['GPU graphs of a transducer', 'fused', { gpuGraphs: true }],
] as const)('Engine with %s', (_, kind, options) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await startEngine({ modelDir: createGpuFolder(kind), slots: 3, maxBatch: 2, ...options });
  });
  afterAll(async () => {
    await engine.close();
  });

  test('reports the loaded model, its language, slots and contexts', () => {
    const type = kind === 'ctc' ? 'ctc' : 'transducer';
    expect(engine.info).toMatchObject({ model: `golden-${kind}`, type, languageCode: 'xx', slots: 3 });
    expect(engine.info.contexts).toMatchObject([{ context: [56, 13], chunkSamples: 17_920 }]);
    expect(engine.info.contexts[0]?.realTimeFactor).toBeGreaterThan(0);
  });

  test('sends the transcript so far with each delta and the full transcript with the final', async () => {
    const { final, deltas } = await transcribe(engine, audio, { sizes: [3200] });
    expect(deltas.length).toBeGreaterThan(5);
    deltas.reduce((before, { text }) => {
      expect(text.startsWith(before)).toBe(true);
      return text;
    }, '');
    expect(final).toMatchObject({ utterance: 0, startSample: 0, endSample: audio.length });
    expect(final.words.map(({ text }) => text).join(' ')).toBe(final.text);
    for (const { start_ms, end_ms, confidence } of final.words) {
      expect(confidence).toBeGreaterThanOrEqual(0);
      expect(confidence).toBeLessThanOrEqual(1);
      expect(start_ms).toBeLessThan(end_ms);
      expect(end_ms).toBeLessThanOrEqual(Math.ceil(audio.length / 16));
    }
  });

  test('sends exactly one final for each flush, even if the utterance is empty', async () => {
    const stream = engine.open();
    const finals: Final[] = [];
    stream.on('final', (final) => finals.push(final));
    stream.flush();
    stream.flush();
    stream.write(audio.subarray(0, 100));
    stream.flush();
    const last = new Promise<void>((resolve) => stream.on('final', () => finals.length === 4 && resolve()));
    await writeAll(stream, [audio.subarray(0, 40_000)]);
    stream.flush();
    await last;
    expect(finals.map(({ utterance, startSample, endSample }) => [utterance, startSample, endSample])).toEqual([
      [0, 0, 0],
      [1, 0, 0],
      [2, 0, 100],
      [3, 100, 40_100],
    ]);
    expect(finals.map(({ text }) => text !== '')).toEqual([false, false, false, true]);
    stream.close();
  });

  test('transcribes an utterance after a flush like the first utterance of another stream', async () => {
    const alone = await transcribe(engine, audio.subarray(0, 60_000));
    const stream = engine.open();
    await writeAll(stream, [audio.subarray(70_000, 110_000)]);
    stream.flush();
    await nextFinal(stream);
    await writeAll(stream, [audio.subarray(0, 60_000)]);
    stream.flush();
    expect((await nextFinal(stream)).text).toBe(alone.final.text);
    stream.close();
  });

  test('drops the utterance on reset, and transcribes the next one like the first utterance of another stream', async () => {
    const alone = await transcribe(engine, audio.subarray(0, 60_000));
    const stream = engine.open({ utterance: 7 });
    await writeAll(stream, [audio.subarray(70_000, 110_000)]);
    const dropped = new Promise((resolve) => stream.once('reset', resolve));
    stream.reset();
    expect(await dropped).toBe(40_000);
    const final = nextFinal(stream);
    await writeAll(stream, [audio.subarray(0, 60_000)]);
    stream.flush();
    expect(await final).toMatchObject({
      text: alone.final.text,
      utterance: 8,
      startSample: 40_000,
      endSample: 100_000,
    });
    stream.close();
  });

  test('accepts audio bytes that start at an odd offset in their buffer', async () => {
    const alone = await transcribe(engine, audio.subarray(0, 60_000));
    const bytes = Buffer.alloc(120_001);
    Buffer.from(audio.buffer, audio.byteOffset, 120_000).copy(bytes, 1);
    const stream = engine.open();
    stream.write(bytes.subarray(1));
    stream.flush();
    expect((await nextFinal(stream)).text).toBe(alone.final.text);
    stream.close();
  });

  test('write() returns false when the ring is full, and throws buffer_overrun if the caller continues without a drain event', async () => {
    const stream = engine.open();
    const long = new Int16Array(RING_SAMPLES);
    expect(stream.write(long.subarray(0, 1000))).toBe(true);
    expect(stream.write(long)).toBe(false);
    expect(() => {
      for (let i = 0; i < 3; i++) stream.write(long);
    }).toThrow(expect.objectContaining({ code: 'buffer_overrun' }));
    await new Promise<void>((resolve) => stream.once('drain', resolve));
    expect(stream.buffered).toBeLessThanOrEqual(RING_SAMPLES);
    stream.close();
  });

  test('write() returns true while at most BUFFER_SAMPLES of the written samples are unconsumed', async () => {
    const stream = engine.open();
    let [sent, until] = [0, BUFFER_SAMPLES];
    const refused: number[] = [];
    const send = () => {
      const part = audio.subarray(0, Math.min(until - sent, 20_000));
      sent += part.length;
      if (!stream.write(part)) refused.push(sent);
    };
    stream.on('consumed', (samples) => (until = samples + BUFFER_SAMPLES));
    while (sent < 6 * RING_SAMPLES) {
      if (sent < until) send();
      else await new Promise<void>((resolve) => stream.once('consumed', () => resolve()));
    }
    expect(refused).toEqual([]);
    stream.close();
  });

  test('open() throws no_slot if all slots are taken and context_unsupported for an unknown context, and close() frees a slot', async () => {
    const streams = Array.from({ length: engine.freeSlots }, () => engine.open());
    expect(() => engine.open()).toThrow(expect.objectContaining({ code: 'no_slot' }));
    for (const stream of streams) stream.close();
    while (engine.freeSlots < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(() => engine.open({ context: [56, 3] })).toThrow(expect.objectContaining({ code: 'context_unsupported' }));
    const [closed] = streams;
    expect(() => closed?.write(audio)).toThrow(expect.objectContaining({ code: 'closed' }));
  });

  test('increases its progress counter while it is idle', async () => {
    const before = engine.progress;
    while (engine.progress === before) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(engine.progress).toBeGreaterThan(before);
  });
});

test.each(['threads', 'slots', 'maxSlots', 'maxBatch'])(
  'startEngine throws a RangeError if %s is not a whole number of at least 1',
  async (name) => {
    const modelDir = createGpuFolder();
    for (const value of [0, 1.5]) {
      const message = `${name} is ${value}; set a whole number of at least 1, or leave it out`;
      await expect(startEngine({ modelDir, [name]: value })).rejects.toThrow(new RangeError(message));
    }
  },
);

test('if its inference thread exits, Engine ends every stream with engine_failed and refuses new streams', () => {
  const thread = Object.assign(new EventEmitter(), { postMessage: () => undefined });
  const info = { slots: 2, subsampling: 8, contexts: [{ context: [56, 13] }] } as unknown as ModelInfo;
  const engine = new Engine(thread as unknown as Worker, info, createSharedBuffers(2));
  const errors: string[] = [];
  engine.on('failed', ({ code }) => errors.push(`engine ${code}`));
  for (const stream of [engine.open(), engine.open()]) stream.on('error', ({ code }) => errors.push(code));
  thread.emit('exit', 134);
  expect(errors).toEqual(['engine_failed', 'engine_failed', 'engine engine_failed']);
  expect(() => engine.open()).toThrow(expect.objectContaining({ code: 'engine_failed' }));
});
