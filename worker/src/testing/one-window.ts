import { BatchRunner } from '../engine/batch.ts';
import { CachePool } from '../engine/caches.ts';
import { Lane } from '../engine/lane.ts';
import type { StreamEvent } from '../engine/protocol.ts';
import { startSearch } from '../engine/search.ts';
import { AudioRing, createSharedBuffers } from '../engine/shared.ts';
import { samplesFor } from '../features/framing.ts';
import { loadModel } from '../model/load.ts';
import { channelSize, timeSize } from '../model/scratch.ts';
import { readWav } from './data.ts';

export interface OneWindow {
  readonly events: StreamEvent[];
  /** Samples that the slot gave back. */
  readonly consumed: number;
}

/** Runs the first window of a recording; `looks` says, look by look, whether its stream is still open. */
export async function runOneWindow(folder: string, wav: string, looks: boolean[]): Promise<OneWindow> {
  const model = await loadModel(folder, { provider: 'cpu', threads: 1, paddedBatches: false }, 1);
  const [entry] = model.encoders;
  if (entry === undefined) throw new Error('a model has at least one context');
  const [context, encoder] = entry;
  const { shape } = encoder;
  const caches = new CachePool(1, channelSize(shape), timeSize(shape));
  const runner = new BatchRunner(model, caches, shape.mels, () => undefined);
  const ring = new AudioRing(createSharedBuffers(1), 0);
  const search = () => startSearch(model);
  const lane = new Lane({ id: 1, slot: 0, context, encoder, ring, utterance: 0, startSearch: search });
  ring.write(readWav(wav).subarray(0, samplesFor(shape.framing, 1)));
  const events = await runner.run([{ lane, length: shape.framing.window }], () => looks.shift() ?? false);
  return { events, consumed: ring.consumed };
}
