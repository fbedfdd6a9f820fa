import type { Context, Engine, EngineStats } from '@svc-asr/worker';
import type { Control } from './controls.ts';
import { CrowdThreads } from './crowd-threads.ts';
import type { CrowdSummary } from './crowd-threads.ts';
import type { GpuOptions } from './options.ts';
import { describe, growsBacklog } from './percentiles.ts';

export interface EngineLoad {
  readonly engine: Engine;
  readonly context: Context;
  readonly speech: Int16Array;
  readonly controls: readonly Control[];
  readonly figures: Record<string, number>;
  readonly logProgress: (line: string) => void;
}

/** Runs the load several times, and then once with all streams in phase. The worst of the runs counts. */
export async function measureLoad(load: EngineLoad, options: GpuOptions): Promise<void> {
  const { engine, context, figures } = load;
  const streams = options.streams ?? engine.info.slots;
  const label = `${engine.info.model}_${context.join('_')}`;
  const results: CrowdSummary[] = [];
  const threads = new CrowdThreads(load);
  for (let run = 1; run <= options.runs; run++) {
    results.push(
      await measureRun(load, threads, `${label}_run_${run}`, { streams, seconds: options.seconds, inPhase: false }),
    );
  }
  if (results.length > 0) {
    figures[`${label}_streams`] = streams;
    figures[`${label}_worst_latency_p95_ms`] = Math.max(...results.map(({ latencyMs }) => latencyMs.p95));
    figures[`${label}_worst_final_p95_ms`] = Math.max(...results.map(({ finalMs }) => finalMs.p95));
    figures[`${label}_runs_with_growing_backlog`] = results.filter(({ quarters }) => growsBacklog(quarters)).length;
  }
  if (options.inPhase) {
    await measureRun(load, threads, `${label}_in_phase`, { streams, seconds: options.seconds, inPhase: true });
  }
  await threads.close();
}

async function measureRun(
  { engine, figures, logProgress }: EngineLoad,
  threads: CrowdThreads,
  label: string,
  run: { streams: number; seconds: number; inPhase: boolean },
): Promise<CrowdSummary> {
  const [stats, cpu] = [engine.stats, process.cpuUsage()];
  const result = await threads.run(run);
  const used = process.cpuUsage(cpu);
  logProgress(`${label}: ${describeRun(result)}`);
  const perBatch = splitTime(stats, engine.stats);
  logProgress(
    `  per batch: ${Object.entries(perBatch)
      .map(([name, value]) => `${name} ${value.toFixed(2)}`)
      .join(', ')}`,
  );
  for (const [name, value] of Object.entries(perBatch)) figures[`${label}_${name}`] = value;
  figures[`${label}_windows_per_second`] = result.windows / run.seconds;
  figures[`${label}_latency_p50_ms`] = result.latencyMs.p50;
  figures[`${label}_latency_p95_ms`] = result.latencyMs.p95;
  figures[`${label}_latency_p99_ms`] = result.latencyMs.p99;
  figures[`${label}_first_quarter_p95_ms`] = result.quarters.firstP95;
  figures[`${label}_last_quarter_p95_ms`] = result.quarters.lastP95;
  figures[`${label}_final_p95_ms`] = result.finalMs.p95;
  figures[`${label}_generator_lag_p95_ms`] = result.generatorLagMs.p95;
  figures[`${label}_opened`] = result.opened;
  figures[`${label}_failures`] = result.failures.length;
  figures[`${label}_unanswered`] = result.unanswered;
  figures[`${label}_skipped_turns`] = result.skippedTurns;
  figures[`${label}_compared_transcripts`] = result.compared;
  figures[`${label}_different_transcripts`] = result.different;
  figures[`${label}_different_from_engine_alone`] = result.differentAlone;
  figures[`${label}_process_cores`] = (used.user + used.system) / 1e6 / run.seconds;
  return result;
}

/** Returns the mean of every total of the engine per run of the graph. Times are in milliseconds. */
export function splitTime(before: EngineStats, after: EngineStats): Record<string, number> {
  const batches = Math.max(1, after.runs - before.runs);
  const earlier = new Map<string, number>(Object.entries(before));
  const means = Object.entries(after).map(([name, value]): [string, number] => [
    name === 'runs' ? 'batches' : `batch_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
    ((value as number) - (earlier.get(name) ?? 0)) / (name === 'runs' ? 1 : batches),
  ]);
  return Object.fromEntries(means);
}

function describeRun(result: CrowdSummary): string {
  const { streams, windows, finals, opened, failures, unanswered, skippedTurns, compared, different } = result;
  const { firstP95, lastP95 } = result.quarters;
  return [
    `${streams} streams, ${windows} windows, ${finals} finals, ${opened} opened, ${failures.length} failed ${failures[0] ?? ''}`,
    `latency ${describe(result.latencyMs)}, first quarter p95 ${firstP95.toFixed(1)}, last ${lastP95.toFixed(1)}`,
    `finals ${describe(result.finalMs)}; generator late by p95 ${result.generatorLagMs.p95.toFixed(1)} ms`,
    `${unanswered} unanswered, ${skippedTurns} turns skipped; ${different} of ${compared} transcripts differ`,
    `${result.differentAlone} differ from the engine without load`,
  ].join('; ');
}
