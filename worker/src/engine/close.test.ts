import { join } from 'node:path';
import { goldenFolder, readWav } from '../testing/data.ts';
import { createGpuFolder } from '../testing/folder.ts';
import { leastGrowthOf } from '../testing/memory-growth.ts';
import { transcribe } from '../testing/transcribe.ts';
import { DeviceBackend } from './device/backend.ts';
import { startEngine } from './start.ts';

const audio = readWav(join(goldenFolder, 'speech.wav')).subarray(0, 40_000);

describe.each([
  ['onnxruntime-node', 'ctc', {}],
  ['GPU graphs', 'ctc', { gpuGraphs: true }],
  ['GPU graphs of a transducer', 'fused', { gpuGraphs: true }],
] as const)('Engine with %s', (_, kind, options) => {
  const modelDir = createGpuFolder(kind);
  const start = () => startEngine({ modelDir, slots: 3, maxBatch: 2, measureMs: 0, ...options });

  test('can be closed and started again in one process', async () => {
    const texts: string[] = [];
    for (let round = 0; round < 3; round++) {
      const engine = await start();
      texts.push((await transcribe(engine, audio)).final.text);
      await engine.close();
    }
    expect(texts[0]).not.toBe('');
    expect(new Set(texts).size).toBe(1);
  });

  test('closes without errors while runs are in progress, even if close() is called several times, and then refuses streams', async () => {
    const engine = await start();
    const errors: unknown[] = [];
    engine.on('failed', (error) => errors.push(error));
    for (let i = 0; i < 3; i++) {
      const stream = engine.open();
      stream.on('error', (error) => errors.push(error));
      stream.write(audio);
    }
    while (engine.stats.runs === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await Promise.all([engine.close(), engine.close()]);
    await engine.close();
    expect(errors).toEqual([]);
    expect(() => engine.open()).toThrow(expect.objectContaining({ code: 'closed' }));
  });
});

/**
 * Number of slots. It is so large that a leak of the state of all slots would be much larger than all other growth of
 * the process.
 */
const MANY_SLOTS = 512;

test.each([
  ['CTC model', 'ctc'],
  ['transducer', 'fused'],
] as const)('DeviceBackend releases the memory for the streams of a %s when it is closed', async (_, kind) => {
  const folder = createGpuFolder(kind);
  const options = { provider: 'cpu', threads: 1, maxBatch: 4, maxSlots: MANY_SLOTS } as const;
  let stateBytes = 0;
  const growth = await leastGrowthOf(2, async () => {
    const backend = await DeviceBackend.load(folder, options);
    stateBytes = [...backend.memory.arenas.tensors.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    await backend.close();
    await backend.close();
  });
  expect(stateBytes).toBeGreaterThan(20e6);
  expect(growth).toBeLessThan(stateBytes / 2);
});

test('if one graph is refused, DeviceBackend releases the memory of the graphs that it has already opened', async () => {
  const folder = createGpuFolder('fused', (manifest) => delete manifest.gpuJoint);
  const growth = await leastGrowthOf(20, async () => {
    const options = { provider: 'cpu', threads: 1, maxBatch: 1, maxSlots: 1 } as const;
    await expect(DeviceBackend.load(folder, options)).rejects.toMatchObject({ code: 'graph_unsupported' });
  });
  expect(growth).toBeLessThan(20e6);
});
