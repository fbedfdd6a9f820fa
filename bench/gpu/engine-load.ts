import type { Context, Engine, EngineStats } from '@svc-asr/worker';
import type { Control } from './controls.ts';
import { CrowdThreads } from './crowd-threads.ts';
import type { CrowdSummary } from './crowd-threads.ts';
import { addFigures, describeLoad, figuresOf } from './load-summary.ts';
import type { GpuOptions } from './options.ts';
import { growsBacklog } from './percentiles.ts';

export interface EngineLoad {
  readonly engine: Engine;
  readonly context: Context;
  readonly speech: Int16Array;
  readonly controls: readonly Control[];
  readonly figures: Record<string, number>;
  readonly logProgress: (line: string) => void;
}

/**
 * Runs the load `runs` times, and reports the highest latencies of these runs. With `inPhase`, runs the load once more.
 * In that run, the chunks of all streams end at the same time.
 */
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
  const { streams, skippedTurns, differentAlone } = result;
  logProgress(
    `${label}: ${streams} streams, ${describeLoad(result)}; ${skippedTurns} turns skipped; ` +
      `${differentAlone} differ from the engine without load`,
  );
  const perBatch = splitTime(stats, engine.stats);
  logProgress(
    `  per batch: ${Object.entries(perBatch)
      .map(([name, value]) => `${name} ${value.toFixed(2)}`)
      .join(', ')}`,
  );
  addFigures(figures, label, {
    ...perBatch,
    ...figuresOf(result, run.seconds),
    skipped_turns: skippedTurns,
    different_from_engine_alone: differentAlone,
    process_cores: (used.user + used.system) / 1e6 / run.seconds,
  });
  return result;
}

/**
 * Returns how much each total of the engine grew between two readings, divided by the number of runs of the graph. The
 * number of runs itself is not divided. Times are in milliseconds.
 */
export function splitTime(before: EngineStats, after: EngineStats): Record<string, number> {
  const batches = Math.max(1, after.runs - before.runs);
  const earlier = new Map<string, number>(Object.entries(before));
  const means = Object.entries(after).map(([name, value]): [string, number] => [
    name === 'runs' ? 'batches' : `batch_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
    ((value as number) - (earlier.get(name) ?? 0)) / (name === 'runs' ? 1 : batches),
  ]);
  return Object.fromEntries(means);
}
