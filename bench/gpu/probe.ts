/**
 * Tries every native call of the worker on a GPU and prints what works: `node bench/gpu/probe.ts [GRAPH...]`. A GRAPH
 * is a file such as worker/models/svc-asr-kikuyu-v1/gpu/56-13.onnx. `PROVIDER=cpu` runs the same steps without a GPU,
 * and `SIZES=32,256` sets the batch sizes. README.md of bench/provider lists what the machine needs.
 *
 * If the GPU machine does not have the builds of the workspaces, bundle this file first: `esbuild bench/gpu/probe.ts
 * --bundle --platform=node --format=esm --external:koffi --external:onnxruntime-node --tsconfig=tsconfig.check.json
 * --outfile=probe.mjs`.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readOnnx } from '../../worker/src/model/onnx.ts';
import { DeviceArenas, arenaBytes } from '../../worker/src/native/arenas.ts';
import type { DeviceBatch } from '../../worker/src/native/batch.ts';
import { createCudaMemory } from '../../worker/src/native/cuda.ts';
import { DeviceGraph, openGraph } from '../../worker/src/native/graph.ts';
import { createHostMemory } from '../../worker/src/native/memory.ts';
import type { DeviceMemory } from '../../worker/src/native/memory.ts';
import { NativeRuntime } from '../../worker/src/native/runtime.ts';
import type { NativeTensor } from '../../worker/src/native/tensor.ts';
import { SharedWeights } from '../../worker/src/native/weights.ts';

const provider = process.env.PROVIDER === 'cpu' ? 'cpu' : 'cuda';
const sizes = (process.env.SIZES ?? '1,4,32').split(',').map(Number);
const files = process.argv.length > 2 ? process.argv.slice(2) : ['worker/test/golden/gpu/56-13.onnx'];
const ROUNDS = 20;

let failures = 0;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs a step and prints its result. A failed step does not end the probe, unless later steps need its result. */
async function step<Result>(name: string, run: () => Result | Promise<Result>): Promise<Result | undefined> {
  try {
    const result = await run();
    print(`ok      ${name}${typeof result === 'string' ? `: ${result}` : ''}`);
    return result;
  } catch (error) {
    failures++;
    print(`FAILED  ${name}: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`);
    return undefined;
  }
}

function check(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

const createMemory = (runtime: NativeRuntime, sharesStream: boolean): DeviceMemory | Promise<DeviceMemory> =>
  provider === 'cpu' ? createHostMemory(runtime.koffi) : createCudaMemory({ device: 0, sharesStream });

/**
 * Copies bytes to the device and back, and overwrites a few of them on the device in between. Measures the speed of
 * copies from and to pinned memory.
 */
function tryCopies(memory: DeviceMemory): string {
  const bytes = 64 * 2 ** 20;
  const [from, to] = [memory.allocateHost(bytes), memory.allocateHost(bytes)];
  const device = memory.allocate(bytes);
  const events = [memory.createEvent(), memory.createEvent(), memory.createEvent()] as const;
  new Uint8Array(from.buffer).forEach((_, i, all) => (all[i] = i % 251));
  events[0].record();
  memory.copyToDevice(device, from.pointer, bytes);
  events[1].record();
  memory.fill(device + 1000n, 0xff, 24);
  memory.copyToHost(to.pointer, device, bytes);
  events[2].record();
  const early = events[2].isDone();
  events[2].wait();
  check(events[2].isDone(), 'a complete event is reported as pending');
  const received = new Uint8Array(to.buffer);
  const wrong = received.findIndex((value, i) => value !== (i >= 1000 && i < 1024 ? 0xff : i % 251));
  check(wrong === -1, `byte ${wrong} is ${received[wrong]}`);
  const rate = (a: 0 | 1, b: 1 | 2) => (bytes / 1e6 / events[b].msSince(events[a])).toFixed(1);
  for (const event of events) event.release();
  for (const block of [from, to]) memory.releaseHost(block);
  memory.release(device);
  return `${rate(0, 1)} GB/s in, ${rate(1, 2)} GB/s out, done before the wait: ${early}`;
}

/** Fills each row of a batch with the first window of a different signal. */
function fill({ inputs, size }: DeviceBatch, graph: DeviceGraph, arenas: DeviceArenas): void {
  const { samples, framing, frames, pages } = graph.shape;
  for (let row = 0; row < size; row++) {
    for (let i = 0; i < samples; i++) {
      inputs.pcm[row * samples + i] = 3000 * Math.sin(i / (5 + row / 7)) + 500 * Math.sin((i * i) / 90_000);
    }
    inputs.bounds.set([0, samples, 0, framing.window], row * 4);
    inputs.past.fill(DeviceArenas.zeroFrame, row * pages, (row + 1) * pages);
    inputs.page[row] = arenas.firstFrame + row * frames;
    inputs.tailFrom[row] = DeviceArenas.zeroSlot;
    inputs.tailTo[row] = DeviceArenas.firstSlot + row;
    inputs.filled[row] = 0;
    if (graph.shape.takesPrompt) inputs.prompt[row] = 0n;
  }
}

function acquire(graph: DeviceGraph, size: number): DeviceBatch {
  const batch = graph.acquire(size);
  if (batch === undefined) throw new Error('no batch is idle');
  return batch;
}

interface Opened {
  graph: DeviceGraph;
  arenas: DeviceArenas;
  close: () => void;
}

function open(
  runtime: NativeRuntime,
  memory: DeviceMemory,
  file: string,
  initializers: ReadonlyMap<string, NativeTensor> = new Map(),
): Opened {
  const cudaGraphs = memory.provider === 'cuda';
  const opened = openGraph(runtime, memory, file, file, { threads: 1, cudaGraphs, initializers });
  const { frames, state } = opened.shape;
  const rows = Math.max(...sizes);
  const arenas = new DeviceArenas(runtime, memory, state, {
    frames: (rows + 2) * frames,
    slots: rows + DeviceArenas.firstSlot,
    pageFrames: frames,
  });
  arenas.poison();
  const graph = new DeviceGraph(runtime, memory, opened, arenas, sizes, cudaGraphs);
  const close = () => {
    graph.release();
    arenas.release();
  };
  return { graph, arenas, close };
}

interface Scores {
  ids: number[];
  scores: number[];
}

/** Runs one batch and returns its results and times. */
function run({ graph, arenas }: Opened, size: number): Scores & { text: string } {
  const batch = acquire(graph, size);
  fill(batch, graph, arenas);
  const started = performance.now();
  batch.submit(size);
  const submitted = performance.now();
  const { ids, scores } = batch.collect();
  const wall = performance.now() - started;
  const { copyInMs, computeMs, copyOutMs } = batch.timing();
  const parts = [submitted - started, copyInMs, computeMs, copyOutMs, wall].map((ms) => ms.toFixed(3));
  const text = `submit ${parts[0]}, copy in ${parts[1]}, compute ${parts[2]}, copy out ${parts[3]}, wall ${parts[4]} ms`;
  return { ids: [...ids], scores: [...scores], text };
}

function compare(a: Scores, b: Scores): string {
  const equal = a.ids.filter((id, i) => id === b.ids[i]).length;
  const difference = Math.max(...a.scores.map((score, i) => Math.abs(score - (b.scores[i] ?? NaN))));
  check(Number.isFinite(difference), 'a score is not a number');
  return `${equal} of ${a.ids.length} ids equal, scores differ by up to ${difference.toExponential(2)}`;
}

/** Runs batches of alternating sizes, two at a time, and returns the mean time of a run. */
function runAlternating({ graph, arenas }: Opened): string {
  const started = performance.now();
  const pending: DeviceBatch[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const batch = acquire(graph, sizes[i % sizes.length] ?? 1);
    if (i < sizes.length * 2) fill(batch, graph, arenas);
    batch.submit(0);
    pending.push(batch);
    if (pending.length === 2) pending.shift()?.collect();
  }
  for (const batch of pending) batch.collect();
  return `${((performance.now() - started) / ROUNDS).toFixed(3)} ms a run`;
}

async function probeGraph(runtime: NativeRuntime, memory: DeviceMemory, file: string): Promise<void> {
  const host = createHostMemory(runtime.koffi);
  const reference = await step(`${file}: open on the CPU`, () => open(runtime, host, file));
  const opened = await step(`${file}: open on ${memory.provider}`, () => open(runtime, memory, file));
  if (reference === undefined || opened === undefined) return;
  await step('warm up and capture', () => opened.graph.warmUp());
  for (const size of sizes) {
    const expected = run(reference, size);
    await step(`batch of ${size}`, () => {
      const first = run(opened, size);
      const second = run(opened, size);
      check(first.ids.join() === second.ids.join(), 'two runs of the same input differ');
      return `${compare(second, expected)}; ${second.text}`;
    });
  }
  await step('alternating sizes, two in flight', () => runAlternating(opened));
  await step('device memory stays the same', () => {
    const before = memory.freeBytes();
    for (let i = 0; i < 200; i++) run(opened, sizes[i % sizes.length] ?? 1);
    const used = before - memory.freeBytes();
    check(memory.provider === 'cpu' || used === 0, `200 runs took ${used} bytes`);
    const { state } = opened.graph.shape;
    return `arenas have ${arenaBytes(state, opened.arenas.size)} bytes, ${memory.freeBytes()} are free`;
  });
  await step('shared weights', () => {
    const weights = new SharedWeights(runtime, memory, join(dirname(file), 'weights.bin'));
    const initializers = weights.initializers(file, readOnnx(file, readFileSync(file)));
    const shared = open(runtime, memory, file, initializers);
    shared.graph.warmUp();
    const text = compare(run(shared, sizes[0] ?? 1), run(opened, sizes[0] ?? 1));
    shared.close();
    weights.release();
    return `${initializers.size} weights; ${text}`;
  });
  await step('without a shared stream', async () => {
    const other = await createMemory(runtime, false);
    const separate = open(runtime, other, file);
    separate.graph.warmUp();
    const result = run(separate, sizes[0] ?? 1);
    const text = `${compare(result, run(opened, sizes[0] ?? 1))}; ${result.text}`;
    separate.close();
    other.close();
    return text;
  });
  opened.close();
  reference.close();
}

const runtime = await NativeRuntime.open();
print(`ONNX Runtime ${runtime.version}, Node ${process.version}, provider ${provider}, sizes ${sizes.join(', ')}`);
const memory = await step('memory and stream', () => createMemory(runtime, true));
if (memory !== undefined) {
  await step('free memory', () => `${memory.freeBytes()} bytes`);
  await step('pinned memory, copies, fill, events', () => tryCopies(memory));
  for (const file of files) await probeGraph(runtime, memory, file);
  memory.close();
}
print(failures === 0 ? 'everything works' : `${failures} steps failed`);
process.exitCode = failures === 0 ? 0 : 1;
