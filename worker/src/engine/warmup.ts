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
import { isSteady, slowRun } from './slots.ts';

/** Rounds before measuring starts. They cover lazy initialization and just-in-time compilation. */
const WARM_ROUNDS = 4;
/**
 * A long and a short measurement. The long one cycles through groups of streams, as the worker does under load. The
 * memory of a single group would stay in the processor cache.
 */
const LONG = { leastRounds: 15, groups: 8 } as const;
const SHORT = { leastRounds: 3, groups: 1 } as const;
/** Share of the time of a measurement after which it ends if the speed of the machine is constant. */
const ENOUGH_WHERE_STEADY = 0.2;
const NOISE = 2_000;

/**
 * Measures the wall time per second of audio of one stream at one context. Runs full batches of noise through features,
 * encoder and search, like real streams. The first rounds are not counted. Takes `mostMs` if other processes use the
 * cores, and a fifth of that otherwise.
 */
export async function measureRealTimeFactor(
  model: Model,
  context: string,
  encoder: Encoder,
  batch: number,
  mostMs: number,
): Promise<number> {
  const { shape } = encoder;
  const { leastRounds, groups } = mostMs > 0 ? LONG : SHORT;
  const streams = batch * groups;
  const shared = createSharedBuffers(streams);
  const runner = new BatchRunner(
    model,
    new CachePool(streams, channelSize(shape), timeSize(shape)),
    shape.mels,
    () => undefined,
  );
  const work = Array.from({ length: streams }, (_, slot) => {
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
  const times: number[] = [];
  const startedAt = performance.now();
  const isEnough = (spentMs: number) =>
    times.length >= leastRounds && (spentMs >= mostMs || (spentMs >= mostMs * ENOUGH_WHERE_STEADY && isSteady(times)));
  for (let round = 0; !isEnough(performance.now() - startedAt); round++) {
    const at = (round % groups) * batch;
    const group = work.slice(at, at + batch);
    const audio = noise(round < groups ? samplesFor(shape.framing, 1) : chunk);
    for (const { lane } of group) lane.ring.write(audio);
    const started = performance.now();
    await runner.run(group, () => true);
    if (round >= Math.max(WARM_ROUNDS, groups)) times.push(performance.now() - started);
  }
  return slowRun(times) / 1000 / (batch * (chunk / SAMPLE_RATE_HZ));
}
