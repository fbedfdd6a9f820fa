import { chunkSamples, samplesFor, windowSamples } from '../features/framing.ts';
import type { Framing } from '../features/framing.ts';
import { SAMPLE_RATE_HZ } from '../features/logmel.ts';
import { ModelError } from '../model/error.ts';
import type { Backend, Work } from './backend.ts';
import type { ContextShape } from './context-shape.ts';
import { Lane } from './lane.ts';
import type { StreamEvent } from './protocol.ts';
import { AudioRing, createSharedBuffers, RING_SAMPLES } from './shared.ts';
import { isSteady, slowRun } from './slots.ts';

/** Rounds before measuring starts. They cover lazy initialization and just-in-time compilation. */
const WARM_ROUNDS = 4;
/**
 * A long and a short measurement. The long one cycles through groups of streams, as the worker does under load. The
 * memory of a single group would stay in the processor cache.
 */
const LONG = { leastRounds: 15, groups: 8 } as const;
const SHORT = { leastRounds: 3, groups: 2 } as const;
/** Share of the time of a measurement after which it ends if the speed of the machine is constant. */
const ENOUGH_WHERE_STEADY = 0.2;
const NOISE = 2_000;

/**
 * Measures the wall time per second of audio of one stream at one context. Runs full batches of noise through features,
 * encoder and search, like real streams, with as many runs at a time as the backend allows. The first rounds are not
 * counted. Takes `mostMs` if other processes use the cores, and a fifth of that otherwise. Throws a ModelError if no stream
 * could be served at this context.
 */
export async function measureRealTimeFactor(
  backend: Backend,
  context: string,
  shape: ContextShape,
  mostMs: number,
): Promise<number> {
  checkRoom(context, shape.framing);
  const { maxBatch, maxRuns, maxSlots } = backend;
  const { leastRounds, groups: most } = mostMs > 0 ? LONG : SHORT;
  const batch = Math.min(maxBatch, maxSlots);
  const groups = Math.max(1, Math.min(most, Math.floor(maxSlots / batch)));
  const work = createWork(backend, context, shape, batch * groups);
  const runner = backend.createRunner(batch * groups, () => undefined);
  const noise = (samples: number) => Int16Array.from({ length: samples }, () => (Math.random() - 0.5) * NOISE);
  const [first, chunk] = [noise(samplesFor(shape.framing, 1)), noise(chunkSamples(shape.framing))];
  const times: number[] = [];
  const startedAt = performance.now();
  const isEnough = (spentMs: number) =>
    times.length >= leastRounds && (spentMs >= mostMs || (spentMs >= mostMs * ENOUGH_WHERE_STEADY && isSteady(times)));
  const active: Promise<readonly StreamEvent[]>[] = [];
  let endedAt = startedAt;
  for (let round = 0; !isEnough(performance.now() - startedAt); round++) {
    const at = (round % groups) * batch;
    const group = work.slice(at, at + batch);
    for (const { lane } of group) lane.ring.write(round < groups ? first : chunk);
    // Writing the noise is not part of the work of the inference thread.
    if (active.length === 0) endedAt = performance.now();
    active.push(runner.run(group, () => true));
    if (active.length < Math.min(maxRuns, groups)) continue;
    checkEvents(context, (await active.shift()) ?? []);
    const now = performance.now();
    if (round >= Math.max(WARM_ROUNDS, groups)) times.push(now - endedAt);
    endedAt = now;
  }
  await Promise.all(active);
  return slowRun(times) / 1000 / (batch * (chunk.length / SAMPLE_RATE_HZ));
}

/** Throws if a stream can never buffer a whole window, so that it would wait for one forever. */
function checkRoom(context: string, framing: Framing): void {
  const samples = windowSamples(framing);
  if (samples <= RING_SAMPLES) return;
  const reason = `a window has ${samples} samples, but a stream buffers ${RING_SAMPLES}`;
  throw new ModelError('graph_unsupported', `the context [${context}]: ${reason}; remove it from manifest.json`);
}

function checkEvents(context: string, events: readonly StreamEvent[]): void {
  const failed = events.find((event) => event.kind === 'failed');
  if (failed === undefined) return;
  const next = 'build its graph again with training/optimize/gpu.py --precision f32';
  throw new ModelError('graph_unsupported', `the context [${context}] fails on noise: ${failed.message}; ${next}`);
}

function createWork(backend: Backend, context: string, shape: ContextShape, streams: number): Work[] {
  const shared = createSharedBuffers(streams);
  return Array.from({ length: streams }, (_, slot) => {
    const ring = new AudioRing(shared, slot);
    const startSearch = () => backend.startSearch();
    const lane = new Lane({ id: slot, slot, context, shape, ring, utterance: 0, startSearch });
    return { lane, length: shape.framing.window };
  });
}
