import { join } from 'node:path';
import { goldenFolder, readWav } from '../testing/data.ts';
import { createGpuFolder } from '../testing/folder.ts';
import { createPromptFolder } from '../testing/prompt-folder.ts';
import { transcribe } from '../testing/transcribe.ts';
import type { Final } from './protocol.ts';
import { startEngine } from './start.ts';

const audio = readWav(join(goldenFolder, 'speech.wav')).subarray(0, 90_000);

async function recognize(kind: 'ctc' | 'fused', gpuGraphs: boolean, alternatives: number): Promise<Final> {
  const modelDir = createGpuFolder(kind);
  const engine = await startEngine({ modelDir, slots: 2, maxBatch: 2, measureMs: 0, gpuGraphs, alternatives });
  const { final } = await transcribe(engine, audio, { sizes: [16_000] });
  await engine.close();
  return final;
}

describe.each([
  ['CTC model', 'ctc'],
  ['transducer', 'fused'],
] as const)('Engine with a %s and alternatives', (_, kind) => {
  test('returns 8 classes for each piece, and GPU graphs change the scores only slightly', async () => {
    const [host, gpu] = [await recognize(kind, false, 8), await recognize(kind, true, 8)];
    expect(gpu.text).toBe(host.text);
    expect(host.pieces?.length).toBeGreaterThan(5);
    expect(gpu.pieces).toHaveLength(host.pieces?.length ?? 0);
    for (const [i, { id, frame, alternatives }] of (host.pieces ?? []).entries()) {
      const other = gpu.pieces?.[i];
      expect(other).toMatchObject({ id, frame });
      for (const list of [alternatives, other?.alternatives ?? []]) {
        expect(list).toHaveLength(8);
        expect(list[0]?.id).toBe(id);
        expect(new Set(list.map((one) => one.id)).size).toBe(8);
      }
      // Compares only the scores, because classes with almost equal scores can have a different order.
      for (const [place, { logProb }] of alternatives.entries()) {
        expect(other?.alternatives[place]?.logProb).toBeCloseTo(logProb, 2);
      }
    }
  });

  test.each([false, true])(
    'returns one class per piece if alternatives is 1, and no pieces if it is 0 (GPU graphs: %s)',
    async (gpuGraphs) => {
      const [one, none] = [await recognize(kind, gpuGraphs, 1), await recognize(kind, gpuGraphs, 0)];
      expect(one.pieces?.every(({ alternatives }) => alternatives.length === 1)).toBe(true);
      expect(none.pieces).toBeUndefined();
      expect(none.text).toBe(one.text);
    },
  );
});

test('startEngine throws a ModelError if GPU graphs return only the best class and more classes are requested', async () => {
  await expect(
    startEngine({ modelDir: createPromptFolder(1), slots: 1, gpuGraphs: true, alternatives: 2 }),
  ).rejects.toMatchObject({
    code: 'graph_unsupported',
    message: expect.stringMatching(/return 1 of the 2 requested classes for each frame: .*gpu\.py$/),
  });
});

test.each([-1, 9, 1.5])('startEngine throws a RangeError if alternatives is %d', async (alternatives) => {
  await expect(startEngine({ modelDir: '/missing', alternatives })).rejects.toThrow(
    new RangeError(`alternatives is ${alternatives}; set a whole number from 0 to 8`),
  );
});
