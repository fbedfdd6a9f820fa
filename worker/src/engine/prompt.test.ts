import { join } from 'node:path';
import { goldenFolder, readWav } from '../testing/data.ts';
import { createGpuFolder } from '../testing/folder.ts';
import { createPromptFolder, PROMPTS } from '../testing/prompt-folder.ts';
import { transcribe } from '../testing/transcribe.ts';
import { startEngine } from './start.ts';

/** Audio of three windows with two frames each. The flush adds one more frame. */
const audio = new Int16Array(6 * 1280).fill(1000);

describe.each([
  ['onnxruntime-node', { gpuGraphs: false }, 'prompt_index'],
  ['GPU graphs', { gpuGraphs: true }, 'prompt'],
])('Engine with %s and a graph that takes a prompt', (_, options, input) => {
  const start = (promptIndex: number | undefined) =>
    startEngine({ modelDir: createPromptFolder(promptIndex), slots: 2, maxBatch: 2, measureMs: 0, ...options });

  test.each([
    [3, 'd e d e d e d'],
    [7, 'h i h i h i h'],
  ])('passes promptIndex %d of the manifest to each run', async (promptIndex, text) => {
    const engine = await start(promptIndex);
    const streams = await Promise.all([transcribe(engine, audio), transcribe(engine, audio)]);
    await engine.close();
    expect(streams.map(({ final }) => final.text)).toEqual([text, text]);
  });

  test('startEngine throws a ModelError if the manifest has no promptIndex', async () => {
    await expect(start(undefined)).rejects.toMatchObject({
      code: 'graph_mismatch',
      message: expect.stringContaining(`the graph has an input ${input}, but the manifest has no promptIndex`),
    });
  });
});

test('startEngine throws a ModelError if a GPU graph has no prompt with the number promptIndex', async () => {
  const modelDir = createPromptFolder(PROMPTS);
  await expect(startEngine({ modelDir, slots: 1, gpuGraphs: true })).rejects.toMatchObject({
    code: 'graph_mismatch',
    message: 'gpu/4-1.onnx: the graph has 8 prompts, but the manifest has promptIndex 8',
  });
});

describe('Engine with a NeMo model that has prompts', () => {
  const speech = readWav(join(goldenFolder, 'speech.wav'));

  /** Returns the transcripts of a recording and of two shorter parts that start at its beginning. */
  async function recognize(promptIndex: number, gpuGraphs: boolean): Promise<string[]> {
    const modelDir = createGpuFolder('prompt', (manifest) => (manifest.promptIndex = promptIndex));
    const engine = await startEngine({ modelDir, slots: 3, maxBatch: 2, gpuGraphs });
    const parts = [speech, speech.subarray(0, 54_321), speech.subarray(0, 16_840)];
    const streams = await Promise.all(parts.map((part) => transcribe(engine, part, { sizes: [16_000] })));
    await engine.close();
    return streams.map(({ final }) => final.text);
  }

  test('returns the same transcripts with its GPU graph as with the exported graph, and other transcripts for another prompt', async () => {
    const [exported, other] = [await recognize(4, false), await recognize(3, false)];
    expect(exported[0]).not.toBe(other[0]);
    expect(await recognize(4, true)).toEqual(exported);
    expect(await recognize(3, true)).toEqual(other);
  });
});
