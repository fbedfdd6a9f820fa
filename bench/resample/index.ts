/**
 * Measures the CPU time that the gateway needs for one second of audio of a realtime connection, in each audio format.
 * Realtime connections use the protocol of OpenAI. Compares this CPU time with that of a native stream, which uses our
 * own protocol. The worker behind the gateway answers immediately. Then counts the words that the resampler changes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../test/support/eventually.ts';
import { ownPrefix, seedCatalogue, seedTenant, startGateway } from '../../test/support/gateway.ts';
import type { TestGateway } from '../../test/support/gateway.ts';
import { openLedger } from '../../test/support/ledger.ts';
import { startRedis } from '../../test/support/redis.ts';
import type { BenchOptions, BenchResult } from '../../tools/bench/benchmark.ts';
import { startEchoWorker } from '../relay/relays.ts';
import { readUsage } from '../relay/usage.ts';
import { FRAME_MS, KINDS, openPaced } from './streams.ts';
import type { Kind, PacedStream } from './streams.ts';
import { compareWords } from './words.ts';

/** Number of streams at the same time. */
const STREAMS = { quick: 20, usual: 50, full: 50 };
const SECONDS = { quick: 3, usual: 8, full: 8 };
const ROUNDS = { quick: 1, usual: 3, full: 6 };
const TICK_MS = 5;
const STARTED_WITHIN_MS = 60_000;

export const PARTS = ['cpu', 'words'] as const;

/** Measures the CPU time of the gateway, and the words that its resampler changes. */
export async function bench(options: BenchOptions): Promise<BenchResult> {
  const empty: BenchResult = { ratios: {}, figures: {} };
  const cpu = options.part === 'words' ? empty : await measureCpu(options);
  const words = options.part === 'cpu' ? empty : await compareWords(options);
  return { ratios: { ...cpu.ratios, ...words.ratios }, figures: { ...cpu.figures, ...words.figures } };
}

/** Measures the CPU time of the gateway for each kind of stream, in alternating rounds. The best rounds count. */
async function measureCpu({ logProgress, size = 'usual' }: BenchOptions): Promise<BenchResult> {
  const redis = await startRedis();
  const stops: (() => Promise<unknown>)[] = [() => redis.stop()];
  try {
    const prefix = ownPrefix();
    const ledger = await openLedger(redis.url, { prefix });
    stops.unshift(() => ledger.link.close());
    await seedCatalogue(ledger);
    const count = STREAMS[size];
    // There are twice as many slots as streams, because the slot of an ended stream becomes free only when its session
    // is settled.
    stops.unshift((await startEchoWorker(redis.url, prefix, count * 2)).stop);
    const gateway = await startGateway(redis.url, prefix);
    stops.unshift(() => gateway.stop());
    const tenants = await Promise.all(Array.from({ length: count }, () => seedTenant(ledger, 36_000_000)));
    const keys = tenants.map(({ key }) => key);
    const cpuMs = Object.fromEntries(KINDS.map((kind) => [kind, Infinity])) as Record<Kind, number>;
    // The first round is not counted, because V8 compiles the gateway in it.
    for (let round = 0; round <= ROUNDS[size]; round++) {
      for (const kind of KINDS) {
        const own = await measure(gateway, kind, keys, SECONDS[size]);
        if (round > 0) cpuMs[kind] = Math.min(cpuMs[kind], own);
        logProgress(`round ${round}, ${kind}: ${own.toFixed(2)} ms of CPU per second of audio`);
      }
    }
    return summarize(cpuMs, count);
  } finally {
    for (const stop of stops) await stop();
  }
}

function summarize(cpuMs: Record<Kind, number>, streams: number): BenchResult {
  const ratios = KINDS.filter((kind) => kind !== 'native').map((kind) => [
    `${kind}_vs_native`,
    cpuMs[kind] / cpuMs.native,
  ]);
  const figures = KINDS.map((kind) => [`${kind}_cpu_ms_per_second`, cpuMs[kind]]);
  return {
    ratios: Object.fromEntries(ratios) as Record<string, number>,
    figures: { streams, frame_ms: FRAME_MS, ...(Object.fromEntries(figures) as Record<string, number>) },
  };
}

/** Returns the CPU time of the gateway for one second of audio of one stream, in milliseconds. */
async function measure(gateway: TestGateway, kind: Kind, keys: readonly string[], seconds: number): Promise<number> {
  const streams: PacedStream[] = [];
  for (const key of keys) streams.push(await openPaced(kind, gateway, key));
  const startedAtMs = performance.now();
  let frames = 0;
  const senders = streams.map((stream, at) => ({ stream, dueAtMs: startedAtMs + (at / streams.length) * FRAME_MS }));
  const timer = setInterval(() => {
    const now = performance.now();
    for (const sender of senders) {
      for (; sender.dueAtMs <= now; sender.dueAtMs += FRAME_MS) {
        sender.stream.sendFrame();
        frames++;
      }
    }
  }, TICK_MS);
  try {
    const areStarted = () => Promise.resolve(streams.every(({ isStarted }) => isStarted()));
    await eventually(`text of all ${kind} streams`, STARTED_WITHIN_MS, areStarted);
    const [before, framesBefore] = [readUsage(gateway.pid).cpuSeconds, frames];
    await sleep(seconds * 1000);
    const audioSeconds = ((frames - framesBefore) * FRAME_MS) / 1000;
    return ((readUsage(gateway.pid).cpuSeconds - before) * 1000) / audioSeconds;
  } finally {
    clearInterval(timer);
    await Promise.all(streams.map((stream) => stream.close()));
  }
}
