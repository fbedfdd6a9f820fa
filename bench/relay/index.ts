/**
 * Compares the gateway with HAProxy and nginx. All three are measured with the same client and the same kind of worker,
 * in alternating rounds.
 */
import type { BenchOptions, BenchResult } from '../../tools/bench/benchmark.ts';
import { ownPrefix, seedCatalogue } from '../../test/support/gateway.ts';
import { openLedger } from '../../test/support/ledger.ts';
import { DURABLE, startRedis } from '../../test/support/redis.ts';
import { ensureInstalled } from '../../tools/install/system-package.ts';
import { PEERS } from './install.ts';
import type { Peer } from './install.ts';
import { startPeer } from './peers.ts';
import { gatewayRelay, plainRelay, startEchoWorker } from './relays.ts';
import { runRound } from './round.ts';
import type { Relay, Round } from './round.ts';
import { FRAME_MS } from './send-audio.ts';
import { summarize } from './summary.ts';
import type { RelayName } from './summary.ts';

/** Number of concurrent streams. */
const STREAMS = Number(process.env.RELAY_STREAMS ?? 200);
/** Duration of the measurement in a round, in seconds. */
const SECONDS = Number(process.env.RELAY_SECONDS ?? 8);
const ROUNDS = Number(process.env.RELAY_ROUNDS ?? 3);
/** Load that warms up a new process before its memory is measured. */
const WARMING = { streams: 20, seconds: 1 };
/**
 * Duration of the load on all relays at the same time, before CPU time is measured. V8 compiles the gateway and the
 * workers during this load. A real service runs for days, so the CPU time of this compilation is not measured. The
 * duration must be less than the 60 s of audio that a session may have.
 */
const COMPILING_SECONDS = Number(process.env.RELAY_WARM_SECONDS ?? 50);

/**
 * Measures the latency that each relay adds, and its CPU and memory. The worker behind the relay answers immediately.
 */
export async function bench({ logProgress }: BenchOptions): Promise<BenchResult> {
  const programs = await ensureInstalled(PEERS);
  const redis = await startRedis(DURABLE);
  const stops: (() => Promise<unknown>)[] = [() => redis.stop()];
  try {
    const prefix = ownPrefix();
    const ledger = await openLedger(redis.url, { prefix });
    stops.unshift(() => ledger.link.close());
    await seedCatalogue(ledger);
    // Each relay has its own worker. A shared worker would collect the garbage from one round during the round of the
    // next relay.
    const startWorker = async (slots = 0) => {
      const worker = await startEchoWorker(redis.url, prefix, slots);
      stops.unshift(worker.stop);
      return worker;
    };
    const startProxy = async (peer: Peer) => {
      const worker = await startWorker();
      const { address, pid, stop } = await startPeer(peer, programs[peer], worker.port);
      stops.unshift(stop);
      return plainRelay(address, worker.pid, pid);
    };
    // There are twice as many slots as streams, because the slot of an ended stream becomes free only when its session
    // is settled.
    const worker = await startWorker(STREAMS * 2);
    const gateway = await gatewayRelay(redis.url, prefix, ledger, worker.pid, STREAMS);
    stops.unshift(gateway.stop);
    const direct = await startWorker();
    return await compare(logProgress, plainRelay(`ws://127.0.0.1:${direct.port}`, direct.pid), {
      gateway: gateway.relay,
      haproxy: await startProxy('haproxy'),
      nginx: await startProxy('nginx'),
    });
  } finally {
    for (const stop of stops) await stop();
  }
}

async function compare(
  logProgress: BenchOptions['logProgress'],
  direct: Relay,
  relays: Record<RelayName, Relay>,
): Promise<BenchResult> {
  logProgress(`warming up; then ${ROUNDS} rounds of ${SECONDS} s with ${STREAMS} streams and frames of ${FRAME_MS} ms`);
  const rounds: Record<RelayName | 'direct', Round[]> = { direct: [], gateway: [], haproxy: [], nginx: [] };
  const all = Object.entries({ direct, ...relays }) as [RelayName | 'direct', Relay][];
  for (const [, relay] of all) await runRound(relay, WARMING.streams, WARMING.seconds);
  // Memory and stalls are measured in this first round. Later rounds reuse memory. They also measure CPU time, which
  // the stall probe would increase.
  const first: Partial<Record<RelayName | 'direct', Round>> = {};
  for (const [name, relay] of all) first[name] = await runRound(relay, STREAMS, SECONDS, relay.stallProbe);
  await Promise.all(all.map(([, relay]) => runRound(relay, STREAMS, COMPILING_SECONDS)));
  for (let i = 1; i <= ROUNDS; i++) {
    for (const [name, relay] of all) rounds[name].push(await runRound(relay, STREAMS, SECONDS));
    logProgress(`round ${i}: ${Object.entries(rounds).map(describeLast).join('; ')}`);
  }
  const { ratios, figures } = summarize(first as Record<RelayName | 'direct', Round>, rounds);
  return { ratios, figures: { streams: STREAMS, seconds: SECONDS, frame_ms: FRAME_MS, ...figures } };
}

function describeLast([name, rounds]: [string, readonly Round[]]): string {
  const last = rounds.at(-1);
  const cpu = name === 'direct' ? '' : `, ${last?.cpuMsPer1000StreamSeconds.toFixed(0)} ms CPU`;
  const worker = `, worker ${last?.workerCpuMsPer1000StreamSeconds.toFixed(0)} ms`;
  return `${name} p50 ${last?.p50Ms.toFixed(2)} ms, p99 ${last?.p99Ms.toFixed(2)} ms${cpu}${worker}`;
}
