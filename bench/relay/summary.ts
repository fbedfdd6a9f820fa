import type { BenchResult } from '../../tools/bench/benchmark.ts';
import type { Round } from './round.ts';

export const RELAYS = ['gateway', 'haproxy', 'nginx'] as const;

export type RelayName = (typeof RELAYS)[number];

type ByRelay<T> = Readonly<Record<RelayName | 'direct', T>>;

/**
 * Returns the best latency of all rounds after the first, and the median of their CPU times. The lowest CPU time is not
 * used, because it can be too low. A relay that other programs delay reads several frames of a stream together, which
 * costs less. Memory is that of the first round, because later rounds reuse memory that the process has not returned.
 * Stalls are also those of the first round. Only that round runs the stall probe, which uses CPU time.
 */
export function summarize(firstRound: ByRelay<Round>, rounds: ByRelay<readonly Round[]>): BenchResult {
  const least = (name: RelayName | 'direct', of: (round: Round) => number) => Math.min(...rounds[name].map(of));
  const p50 = (name: RelayName | 'direct') => least(name, ({ p50Ms }) => p50Ms);
  const p99 = (name: RelayName | 'direct') => least(name, ({ p99Ms }) => p99Ms);
  const median = (name: RelayName, of: (round: Round) => number) => medianOf(rounds[name].map(of));
  const cpu = (name: RelayName) => median(name, ({ cpuMsPer1000StreamSeconds }) => cpuMsPer1000StreamSeconds);
  const workerCpu = (name: RelayName) =>
    median(name, ({ workerCpuMsPer1000StreamSeconds }) => workerCpuMsPer1000StreamSeconds);
  const both = (name: RelayName) => cpu(name) + workerCpu(name);
  const ofEach = (label: string, of: (name: RelayName) => number) =>
    Object.fromEntries(RELAYS.map((name) => [`${name}_${label}`, of(name)]));
  return {
    ratios: {
      cpu_vs_haproxy: cpu('gateway') / cpu('haproxy'),
      cpu_vs_nginx: cpu('gateway') / cpu('nginx'),
      cpu_with_worker_vs_haproxy: both('gateway') / both('haproxy'),
      p99_vs_haproxy: p99('gateway') / p99('haproxy'),
    },
    figures: {
      direct_p50_ms: p50('direct'),
      direct_p99_ms: p99('direct'),
      ...ofEach('added_p50_ms', (name) => p50(name) - p50('direct')),
      ...ofEach('added_p99_ms', (name) => p99(name) - p99('direct')),
      ...ofEach('cpu_ms_per_1000_streams_and_second', cpu),
      ...ofEach('worker_cpu_ms_per_1000_streams_and_second', workerCpu),
      ...ofEach('kib_per_idle_stream', (name) => firstRound[name].bytesPerIdleStream / 1024),
      ...ofEach('kib_per_active_stream', (name) => firstRound[name].bytesPerActiveStream / 1024),
      gateway_longest_stall_ms: firstRound.gateway.stalls?.longestMs ?? NaN,
      gateway_longest_own_stall_ms: firstRound.gateway.stalls?.ownMs ?? NaN,
      client_longest_stall_ms: firstRound.gateway.clientStallMs,
    },
  };
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
