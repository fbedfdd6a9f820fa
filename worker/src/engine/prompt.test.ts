import { createPromptFolder, PROMPTS } from '../testing/prompt-folder.ts';
import { transcribe } from '../testing/transcribe.ts';
import { startEngine } from './start.ts';

/** Three windows of two frames, and a last frame that the flush completes. */
const audio = new Int16Array(6 * 1280).fill(1000);

describe.each([
  ['onnxruntime-node', { gpuGraphs: false }, 'prompt_index'],
  ['GPU graphs', { gpuGraphs: true }, 'prompt'],
])('Engine with %s and a graph that takes a prompt', (_, options, input) => {
  const start = (promptIndex: number | undefined) =>
    startEngine({ modelDir: createPromptFolder(promptIndex), slots: 2, maxBatch: 2, ...options });

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

test('startEngine throws a ModelError if a GPU graph has fewer prompts than promptIndex', async () => {
  const modelDir = createPromptFolder(PROMPTS);
  await expect(startEngine({ modelDir, slots: 1, gpuGraphs: true })).rejects.toMatchObject({
    code: 'graph_mismatch',
    message: 'gpu/4-1.onnx: the graph has 8 prompts, but the manifest has promptIndex 8',
  });
});
