import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseTokens } from '../../model/tokens.ts';
import { createGpuFolder, refTo } from '../../testing/folder.ts';
import { buildTestGraph, buildTestJoint } from '../../testing/gpu-graph.ts';
import { writeOnnx } from '../../testing/onnx-writer.ts';
import { batchSizes, DeviceBackend } from './backend.ts';

const load = (folder: string, maxBatch: number, maxSlots: number) =>
  DeviceBackend.load(folder, { provider: 'cpu', threads: 1, maxBatch, maxSlots });

/** Creates a model folder in which the GPU graph of the second context belongs to another model. */
function createMixedFolder(): string {
  const folder = createGpuFolder();
  const { pieces } = parseTokens(readFileSync(join(folder, 'tokens.txt'), 'utf8'));
  const graph = buildTestGraph();
  const metadata = { ...graph.metadata, classes: String(pieces.length) };
  writeFileSync(join(folder, 'gpu/4-1.onnx'), writeOnnx({ ...graph, metadata }));
  const file = join(folder, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { contexts: Record<string, unknown>[] };
  manifest.contexts.push({ ...manifest.contexts[0], context: [4, 1], gpu: refTo(folder, 'gpu/4-1.onnx') });
  writeFileSync(file, JSON.stringify(manifest));
  return folder;
}

describe('DeviceBackend', () => {
  test('runs one batch of a transducer at a time, and two of a CTC model', async () => {
    expect((await load(createGpuFolder('fused'), 1, 1)).maxRuns).toBe(1);
    expect((await load(createGpuFolder('ctc'), 1, 1)).maxRuns).toBe(2);
  });

  test('can be loaded from a folder without the graphs that a CPU uses', async () => {
    const folder = createGpuFolder('fused');
    for (const file of ['encoder.onnx', 'decoder_joint.onnx']) rmSync(join(folder, file));
    await expect(load(folder, 1, 1)).resolves.toBeInstanceOf(DeviceBackend);
  });

  test('throws a ModelError if a transducer has no gpuJoint', async () => {
    const folder = createGpuFolder('fused', (manifest) => delete manifest.gpuJoint);
    await expect(load(folder, 1, 1)).rejects.toMatchObject({
      code: 'graph_unsupported',
      message: 'manifest.json: the transducer has no gpuJoint for its GPU graphs',
    });
  });

  test('throws a ModelError if the joint graph of a transducer belongs to another model', async () => {
    const folder = createGpuFolder('fused', (manifest, at) => {
      const graph = buildTestJoint();
      writeFileSync(
        join(at, 'gpu/joint.onnx'),
        writeOnnx({ ...graph, metadata: { ...graph.metadata, classes: '129', blank: '128' } }),
      );
      manifest.gpuJoint = refTo(at, 'gpu/joint.onnx');
    });
    await expect(load(folder, 1, 1)).rejects.toMatchObject({
      code: 'graph_mismatch',
      message: 'gpu/joint.onnx: frames have 4 values in float32, but the encoder has 64 values in float32',
    });
  });

  test('throws a ModelError if a GPU graph is for another model type than the manifest', async () => {
    const folder = createGpuFolder('fused', (manifest) => {
      delete manifest.gpuJoint;
      delete manifest.decoderJoint;
      manifest.type = 'ctc';
    });
    await expect(load(folder, 1, 1)).rejects.toMatchObject({
      code: 'graph_mismatch',
      message: expect.stringContaining('the graph is for the type transducer, but the manifest lists ctc'),
    });
  });

  test('has no batches that are larger than the number of slots', async () => {
    const { maxBatch, maxSlots } = await load(createGpuFolder(), 5, 3);
    expect([maxBatch, maxSlots]).toEqual([3, 3]);
  });

  test('throws a ModelError if the graphs of two contexts have states of different sizes', async () => {
    await expect(load(createMixedFolder(), 1, 1)).rejects.toMatchObject({
      code: 'graph_mismatch',
      message: expect.stringMatching(
        /^gpu\/4-1\.onnx: the state has 1 layers of 4 values .* training\/optimize\/gpu\.py$/,
      ),
    });
  });
});

test('batchSizes doubles the smallest size until the largest size is reached, and ends with the largest size itself', () => {
  expect(batchSizes(32, 512)).toEqual([32, 64, 128, 256, 512]);
  expect(batchSizes(1, 6)).toEqual([1, 2, 4, 6]);
  expect(batchSizes(32, 3)).toEqual([3]);
});
