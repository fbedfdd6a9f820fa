import { chunkSamples, samplesFor, windowSamples } from '../features/framing.ts';
import type { Framing } from '../features/framing.ts';
import { SAMPLE_RATE_HZ } from '../features/logmel.ts';
import { ModelError } from '../model/error.ts';
import type { Backend, Runner, Work } from './backend.ts';
import type { ContextShape } from './context-shape.ts';
import { Lane } from './lane.ts';
import type { ContextInfo, StreamEvent } from './protocol.ts';
import type { RunCost } from './run-cost.ts';
import { AudioRing, createSharedBuffers, RING_SAMPLES } from './shared.ts';
import { isSteady, slowRun } from './slots.ts';
import { speechPieces } from './speech-pieces.ts';

/** Extent of the measurement of a context. */
export interface Measurement {
  /**
   * Maximum total duration of the runs with full batches. The measurement exceeds this duration if `leastRounds` rounds
   * take longer.
   */
  readonly mostMs: number;
  readonly leastRounds: number;
  /**
   * Minimum number of rounds before the measured rounds. These rounds contain lazy initialization and just-in-time
   * compilation. Each group of streams has at least one of them.
   */
  readonly warmRounds: number;
  /**
   * Number of groups of streams that take turns, as in a worker under load. With a single group, all its memory would
   * stay in the processor cache.
   */
  readonly groups: number;
  /** Number of measured rounds for each batch size below the full size. */
  readonly sizeRounds: number;
}

const SHORT: Measurement = { mostMs: 0, leastRounds: 3, warmRounds: 4, groups: 2, sizeRounds: 5 };
/** Measurement that only checks that the model works, and estimates its speed roughly. */
const BRIEF: Measurement = { mostMs: 0, leastRounds: 1, warmRounds: 1, groups: 1, sizeRounds: 1 };

/**
 * Returns how to measure a context. `measureMs` is the option of the engine. `isForSlots` is true for the one context
 * from which the number of slots is derived. Only this context is measured for a long time.
 */
export function planMeasurement(measureMs: number, isForSlots: boolean): Measurement {
  if (measureMs === 0) return BRIEF;
  return isForSlots ? { mostMs: measureMs, leastRounds: 15, warmRounds: 4, groups: 8, sizeRounds: 5 } : SHORT;
}

/** Part of `mostMs` after which a measurement ends if the speed of the machine is constant. */
const ENOUGH_WHERE_STEADY = 0.2;
const NOISE = 2_000;

/** Cost of a context. See ContextInfo. */
export type ContextCost = Pick<ContextInfo, 'realTimeFactor' | 'runCost'>;

/**
 * Measures the wall time per second of audio of one stream at one context, and the duration of runs by batch size. Runs
 * batches of noise through features, encoder and search, as for real streams. Runs as many batches at a time as the
 * backend allows. The search of a transducer takes as many steps as for speech. The first rounds do not count. Takes up
 * to `mostMs` if other processes use the cores, and otherwise a fifth of this time. Throws a ModelError if the engine
 * cannot serve streams at this context.
 */
export async function measureContext(
  backend: Backend,
  context: string,
  shape: ContextShape,
  measurement: Measurement,
): Promise<ContextCost> {
  checkRoom(context, shape.framing);
  const load = new NoiseLoad(backend, context, shape, measurement.groups);
  const fullMs = await measureFullBatches(backend, load, measurement);
  const audioSeconds = load.batch * (chunkSamples(shape.framing) / SAMPLE_RATE_HZ);
  const runCost = await measureSizes(backend, load, fullMs, measurement.sizeRounds);
  return { realTimeFactor: fullMs / 1000 / audioSeconds, runCost };
}

/** Returns how long a run with a full batch takes in those seconds in which the machine is slow (see `slowRun`). */
async function measureFullBatches(
  { maxRuns }: Backend,
  load: NoiseLoad,
  { mostMs, leastRounds, warmRounds }: Measurement,
): Promise<number> {
  const times: number[] = [];
  const startedAt = performance.now();
  const isEnough = (spentMs: number) =>
    times.length >= leastRounds && (spentMs >= mostMs || (spentMs >= mostMs * ENOUGH_WHERE_STEADY && isSteady(times)));
  const active: Promise<void>[] = [];
  let endedAt = startedAt;
  for (let round = 0; !isEnough(performance.now() - startedAt); round++) {
    const group = load.prepare(load.batch);
    // The time starts after the noise was written, because in a worker other threads write the audio.
    if (active.length === 0) endedAt = performance.now();
    active.push(load.run(group));
    if (active.length < Math.min(maxRuns, load.groups)) continue;
    await active.shift();
    const now = performance.now();
    if (round >= Math.max(warmRounds, load.groups)) times.push(now - endedAt);
    endedAt = now;
  }
  await Promise.all(active);
  return slowRun(times);
}

/**
 * Measures the duration of runs by batch size. After each run with a smaller batch, a full batch runs. Only the ratio
 * of the two durations is used, because the speed of a shared machine changes during the measurement.
 */
async function measureSizes(backend: Backend, load: NoiseLoad, fullMs: number, rounds: number): Promise<RunCost> {
  const { paddedSizes } = backend;
  const known = paddedSizes ?? [1, Math.ceil(load.batch / 4)];
  const smaller = known.filter((size, i) => size < load.batch && known.indexOf(size) === i);
  const time = async (size: number) => {
    const group = load.prepare(size);
    const startedAt = performance.now();
    await load.run(group);
    return performance.now() - startedAt;
  };
  const timesMs: number[] = [];
  for (const size of smaller) {
    const ratios: number[] = [];
    for (let round = 0; round < rounds; round++) ratios.push((await time(size)) / (await time(load.batch)));
    const ratio = ratios.sort((one, other) => one - other)[Math.floor(rounds / 2)] ?? 1;
    timesMs.push(Math.min(1, ratio) * fullMs);
  }
  return { sizes: [...smaller, load.batch], timesMs: [...timesMs, fullMs], isPadded: paddedSizes !== undefined };
}

/** Creates streams of noise in groups that take turns. Each group has as many streams as a full batch. */
class NoiseLoad {
  readonly batch: number;
  readonly groups: number;
  readonly #context: string;
  readonly #work: readonly Work[];
  readonly #runner: Runner;
  readonly #first: Int16Array;
  readonly #chunk: Int16Array;
  #turn = 0;

  constructor(backend: Backend, context: string, shape: ContextShape, mostGroups: number) {
    const { maxBatch, maxSlots } = backend;
    this.batch = Math.min(maxBatch, maxSlots);
    this.groups = Math.max(1, Math.min(mostGroups, Math.floor(maxSlots / this.batch)));
    this.#context = context;
    this.#work = createWork(backend, context, shape, this.batch * this.groups);
    this.#runner = backend.createRunner(this.batch * this.groups, () => undefined);
    const noise = (samples: number) => Int16Array.from({ length: samples }, () => (Math.random() - 0.5) * NOISE);
    [this.#first, this.#chunk] = [noise(samplesFor(shape.framing, 1)), noise(chunkSamples(shape.framing))];
  }

  /** Writes the audio of a window to `size` streams of the next group. Returns these streams. */
  prepare(size: number): readonly Work[] {
    const at = (this.#turn++ % this.groups) * this.batch;
    const group = this.#work.slice(at, at + size);
    for (const { lane } of group) lane.ring.write(lane.window === 0 ? this.#first : this.#chunk);
    return group;
  }

  async run(group: readonly Work[]): Promise<void> {
    checkEvents(this.#context, await this.#runner.run(group, () => true));
  }
}

/** Throws if a window is longer than the ring of a stream. Such a window would never be complete. */
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
    const leastPieces = speechPieces(chunkSamples(shape.framing) / SAMPLE_RATE_HZ, slot);
    return { lane, length: shape.framing.window, leastPieces };
  });
}
