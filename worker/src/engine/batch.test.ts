import { join } from 'node:path';
import { samplesFor } from '../features/framing.ts';
import { loadModel } from '../model/load.ts';
import { channelSize, timeSize } from '../model/scratch.ts';
import { goldenFolder, readWav } from '../testing/data.ts';
import { makeGoldenFolder } from '../testing/folder.ts';
import type { GoldenKind } from '../testing/folder.ts';
import { BatchRunner } from './batch.ts';
import { CachePool } from './caches.ts';
import { Lane } from './lane.ts';
import { startSearch } from './search.ts';
import { AudioRing, createSharedBuffers } from './shared.ts';

const context = '56,13';

/** Runs one window of a stream; `looks` says, look by look, whether the stream is still open. */
async function runOnce(kind: GoldenKind, looks: boolean[]) {
  const model = await loadModel(makeGoldenFolder(kind), { provider: 'cpu', threads: 1, paddedBatches: false }, 1);
  const encoder = model.encoders.get(context)!;
  const { shape } = encoder;
  const caches = new CachePool(1, channelSize(shape), timeSize(shape));
  const runner = new BatchRunner(model, caches, shape.mels, () => undefined);
  const ring = new AudioRing(createSharedBuffers(1), 0);
  const search = () => startSearch(model);
  const lane = new Lane({ id: 1, slot: 0, context, encoder, ring, utterance: 0, startSearch: search });
  ring.write(readWav(join(goldenFolder, 'speech.wav')).subarray(0, samplesFor(shape.framing, 1)));
  const events = await runner.run([{ lane, length: shape.framing.window }], () => looks.shift() ?? false);
  return { events, consumed: ring.consumed };
}

test.each(['ctc', 'fused', 'split'] as const)('a stream of a %s model that is open gets its events', async (kind) => {
  const { events, consumed } = await runOnce(kind, [true, true]);
  expect(events.map((event) => event.kind)).toContain('consumed');
  expect(consumed).toBeGreaterThan(0);
});

test.each([
  ['while the encoder runs', []],
  ['while it is searched', [true]],
])('one that closes %s leaves its slot alone, which another may have by then', async (_when, looks) => {
  expect(await runOnce('split', looks)).toEqual({ events: [], consumed: 0 });
});
