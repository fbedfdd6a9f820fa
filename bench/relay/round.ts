import { monitorEventLoopDelay } from 'node:perf_hooks';
import { LoadStream } from './client.ts';
import type { StreamTarget } from './client.ts';
import { startSending } from './send-audio.ts';
import { readUsage } from './usage.ts';
import type { Usage } from './usage.ts';

/** A program through which streams pass on their way to the worker. */
export interface Relay {
  /** Process id of the relay. Undefined if there is nothing between client and worker. */
  readonly pid: number | undefined;
  readonly workerPid: number;
  targetOf: (index: number) => Promise<StreamTarget>;
  /** Measures the longest stalls of the event loop. Absent if the relay does not support that. */
  readonly stallProbe?: StallProbe;
}

/** Longest stall of an event loop from any cause (`longestMs`), and from the work of the process itself (`ownMs`). */
export interface Stalls {
  readonly longestMs: number;
  readonly ownMs: number;
}

export interface StallProbe {
  start: () => void;
  stop: () => Promise<Stalls>;
}

/** Figures of one round through a relay. */
export interface Round {
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the relay for one second of a thousand active streams. */
  readonly cpuMsPer1000StreamSeconds: number;
  /**
   * CPU time of the worker for one second of a thousand active streams. It depends on how the relay splits the audio.
   */
  readonly workerCpuMsPer1000StreamSeconds: number;
  readonly bytesPerIdleStream: number;
  readonly bytesPerActiveStream: number;
  /** Undefined unless a stall probe was running. */
  readonly stalls: Stalls | undefined;
  /**
   * Longest stall of the client. The client has little work, so a long stall means that the machine was busy with other
   * work.
   */
  readonly clientStallMs: number;
}

/**
 * Number of parallel handshakes, about as many as on a busy gateway. If all streams were opened together, the round
 * would measure mostly handshakes.
 */
const OPENING_AT_ONCE = 20;
const SETTLE_MS = 500;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Opens streams, leaves them idle for a moment, sends audio on all of them for `seconds`, and closes them. A stall
 * probe uses CPU time of the relay, so the CPU time of a round with a probe is too high.
 */
export async function runRound(relay: Relay, count: number, seconds: number, probe?: StallProbe): Promise<Round> {
  const usage = () =>
    relay.pid === undefined ? { cpuSeconds: 0, residentBytes: 0, peakBytes: 0 } : readUsage(relay.pid);
  const empty = usage();
  const streams = await openAll(relay, count);
  await pause(SETTLE_MS);
  const idle = usage();
  const sending = startSending(streams);
  await pause(sending.allSendingAfterMs);
  probe?.start();
  const ownLoop = monitorEventLoopDelay({ resolution: 10 });
  ownLoop.enable();
  const [before, workerBefore, beforeMs] = [usage(), readUsage(relay.workerPid), performance.now()];
  await pause(seconds * 1000);
  const [after, workerAfter, passedMs] = [usage(), readUsage(relay.workerPid), performance.now() - beforeMs];
  ownLoop.disable();
  const stalls = await probe?.stop();
  const perThousand = (from: Usage, to: Usage) => ((to.cpuSeconds - from.cpuSeconds) * 1e9) / passedMs / count;
  const latencies = (await sending.end()).sort((a, b) => a - b);
  await Promise.all(streams.map((stream) => stream.close()));
  await pause(SETTLE_MS);
  return {
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    cpuMsPer1000StreamSeconds: perThousand(before, after),
    workerCpuMsPer1000StreamSeconds: perThousand(workerBefore, workerAfter),
    bytesPerIdleStream: (idle.residentBytes - empty.residentBytes) / count,
    bytesPerActiveStream: (after.residentBytes - empty.residentBytes) / count,
    stalls,
    clientStallMs: ownLoop.max / 1e6,
  };
}

async function openAll(relay: Relay, count: number): Promise<LoadStream[]> {
  const streams: LoadStream[] = [];
  for (let from = 0; from < count; from += OPENING_AT_ONCE) {
    const indexes = Array.from({ length: Math.min(OPENING_AT_ONCE, count - from) }, (_, i) => from + i);
    streams.push(...(await Promise.all(indexes.map(async (i) => LoadStream.open(await relay.targetOf(i))))));
  }
  return streams;
}

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.floor(q * (sorted.length - 1))] ?? 0;
}
