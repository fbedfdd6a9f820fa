import { monitorEventLoopDelay } from 'node:perf_hooks';
import { SAMPLES_PER_MS } from '@svc-asr/core';
import type { Engine } from '@svc-asr/worker';
import type { Recording } from './audio.ts';
import { FRAME_SAMPLES } from './ours.ts';

const FRAME_MS = 100;
const SECONDS = 8;
/**
 * Number of samples at the end of a chunk that are not needed to decode it. The last feature frame of a chunk starts
 * 1,280 samples before the end of the chunk and needs 200 samples.
 */
const LOOKBACK_SAMPLES = 1080;

/** Behaviour of the engine while all of its slots are used. */
export interface DeclaredLoad {
  readonly streams: number;
  /** Longest delay of the main thread's event loop, in milliseconds. */
  readonly longestStallMs: number;
  /** Longest time that the main thread itself worked between two timer callbacks. Other programs do not affect it. */
  readonly longestOwnStallMs: number;
  /** Time from the write that completes a chunk to its delta, in milliseconds. */
  readonly deltaP50Ms: number;
  readonly deltaP95Ms: number;
}

/** Opens a real-time stream in every slot. The chunks of different streams end at different times. */
export async function runDeclaredLoad(engine: Engine, recordings: readonly Recording[]): Promise<DeclaredLoad> {
  const loop = monitorEventLoopDelay({ resolution: 5 });
  const latencies: number[] = [];
  loop.enable();
  const own = measureOwnStall();
  const count = engine.info.slots;
  await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const { samples } = recordings[i % recordings.length] ?? { samples: new Int16Array() };
      await new Promise((resolve) => setTimeout(resolve, (i / count) * 1120));
      await streamRecording(engine, samples, latencies);
    }),
  );
  loop.disable();
  const longestOwnStallMs = own.stop();
  const sorted = latencies.toSorted((a, b) => a - b);
  const quantile = (q: number): number => sorted[Math.floor(q * (sorted.length - 1))] ?? 0;
  return {
    streams: count,
    longestStallMs: loop.max / 1e6,
    longestOwnStallMs,
    deltaP50Ms: quantile(0.5),
    deltaP95Ms: quantile(0.95),
  };
}

/** Measures the CPU time of this thread between timer callbacks and keeps the maximum. */
function measureOwnStall(): { stop: () => number } {
  let longestMs = 0;
  let before = process.threadCpuUsage();
  const timer = setInterval(() => {
    const now = process.threadCpuUsage();
    longestMs = Math.max(longestMs, (now.user - before.user + now.system - before.system) / 1000);
    before = now;
  }, 10);
  return {
    stop: () => {
      clearInterval(timer);
      return longestMs;
    },
  };
}

async function streamRecording(engine: Engine, samples: Int16Array, latencies: number[]): Promise<void> {
  const stream = engine.open();
  const writtenMs: number[] = [];
  stream.on('delta', ({ audioEndMs }) => {
    // This frame contains the last sample that the chunk of this delta needs.
    const frame = Math.floor((audioEndMs * SAMPLES_PER_MS - LOOKBACK_SAMPLES - 1) / FRAME_SAMPLES);
    latencies.push(performance.now() - (writtenMs[frame] ?? Infinity));
  });
  const started = performance.now();
  for (let k = 0; k < (SECONDS * 1000) / FRAME_MS; k++) {
    const at = (k * FRAME_SAMPLES) % (samples.length - FRAME_SAMPLES);
    writtenMs.push(performance.now());
    stream.write(samples.subarray(at, at + FRAME_SAMPLES));
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, started + (k + 1) * FRAME_MS - performance.now())));
  }
  const final = new Promise((resolve) => stream.once('final', resolve));
  stream.flush();
  await final;
  stream.close();
}
