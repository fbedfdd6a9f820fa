import { chunkSamples, samplesFor } from '../features/framing.ts';
import { SAMPLE_RATE_HZ } from '../features/logmel.ts';
import type { Encoder } from '../model/encoder.ts';
import type { Model } from '../model/load.ts';
import { channelSize, timeSize } from '../model/scratch.ts';
import { BatchRunner } from './batch.ts';
import { CachePool } from './caches.ts';
import { Lane } from './lane.ts';
import { startSearch } from './search.ts';
import { AudioRing, createSharedBuffers } from './shared.ts';

const MOST_ROUNDS = 60;
const NOISE = 2_000;

/** Milliseconds of something that goes on while a thread works. */
export type Clock = () => number;

/** Time that this thread had of a CPU: what others take of the machine meanwhile does not count. */
export const threadClock: Clock = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/**
 * Time per second of audio and stream at one context: full batches of noise through features, encoder and search, the way real
 * streams go. The first run pays for lazy initialization and does not count; of the others the best does, since what
 * another process took from one round says nothing about this one. `patience` rounds without a better one end it: Node gets
 * faster while it warms up.
 */
export async function measureRealTimeFactor(
  model: Model,
  context: string,
  encoder: Encoder,
  batch: number,
  { patience, clock }: { patience: number; clock: Clock },
): Promise<number> {
  const { shape } = encoder;
  const shared = createSharedBuffers(batch);
  const runner = new BatchRunner(
    model,
    new CachePool(batch, channelSize(shape), timeSize(shape)),
    shape.mels,
    () => undefined,
  );
  const work = Array.from({ length: batch }, (_, slot) => {
    const ring = new AudioRing(shared, slot);
    const lane = new Lane({
      id: slot,
      slot,
      context,
      encoder,
      ring,
      utterance: 0,
      startSearch: () => startSearch(model),
    });
    return { lane, length: shape.framing.window };
  });
  const noise = (samples: number) => Int16Array.from({ length: samples }, () => (Math.random() - 0.5) * NOISE);
  const chunk = chunkSamples(shape.framing);
  let best = Infinity;
  for (let round = 0, since = 0; round <= MOST_ROUNDS && since < patience; round++) {
    const audio = noise(round === 0 ? samplesFor(shape.framing, 1) : chunk);
    for (const { lane } of work) lane.ring.write(audio);
    const started = clock();
    await runner.run(work, () => true);
    const took = clock() - started;
    since = round === 0 || took < best ? 0 : since + 1;
    if (round > 0) best = Math.min(best, took);
  }
  return best / 1000 / (batch * (chunk / SAMPLE_RATE_HZ));
}
