import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Context, Engine } from '@svc-asr/worker';
import type { Control } from './controls.ts';
import type { CrowdRun, CrowdThreadOptions } from './crowd-thread.ts';
import type { CrowdResult } from './crowd.ts';
import { join, percentiles, quartersOf } from './percentiles.ts';
import type { Percentiles, Quarters } from './percentiles.ts';

/** Result of all threads together. */
export interface CrowdSummary {
  readonly streams: number;
  readonly windows: number;
  readonly finals: number;
  readonly opened: number;
  readonly failures: readonly string[];
  readonly latencyMs: Percentiles;
  readonly finalMs: Percentiles;
  readonly generatorLagMs: Percentiles;
  readonly quarters: Quarters;
  readonly unanswered: number;
  readonly skippedTurns: number;
  readonly compared: number;
  readonly different: number;
  readonly differentAlone: number;
}

/** Time between the message to the threads and the start of a run. */
const LEAD_MS = 200;
const WARM_SECONDS = 15;

/** Threads that load an engine. They use the access that the I/O threads of a worker have. */
export class CrowdThreads {
  readonly #threads: readonly Worker[];

  constructor(load: { engine: Engine; context: Context; speech: Int16Array; controls: readonly Control[] }) {
    const { engine, context, controls } = load;
    const speech = new Int16Array(new SharedArrayBuffer(load.speech.byteLength));
    speech.set(load.speech);
    this.#threads = engine.accesses.map((access, index) => {
      const workerData: CrowdThreadOptions = { access, context, controls, speech };
      const entry = new URL('crowd-thread.ts', import.meta.url);
      return new Worker(entry, { workerData, transferList: [access.port], name: `crowd-${index}` });
    });
  }

  /** Runs a crowd, divided between the threads. */
  async run({
    streams,
    seconds,
    inPhase,
  }: {
    streams: number;
    seconds: number;
    inPhase: boolean;
  }): Promise<CrowdSummary> {
    const startAtMs = Date.now() + LEAD_MS;
    const count = this.#threads.length;
    const results = await Promise.all(
      this.#threads.map(async (thread, i): Promise<CrowdResult> => {
        const share = Math.floor((streams * (i + 1)) / count) - Math.floor((streams * i) / count);
        const run: CrowdRun = { streams: share, seconds, warmSeconds: WARM_SECONDS, inPhase, startAtMs };
        thread.postMessage(run);
        const [result] = (await once(thread, 'message')) as [CrowdResult];
        return result;
      }),
    );
    return summarize(streams, results);
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }
}

function summarize(streams: number, results: readonly CrowdResult[]): CrowdSummary {
  const latencies = join(results.map((one) => one.latencies));
  const finals = join(results.map((one) => one.finals));
  const sum = (of: (result: CrowdResult) => number): number => results.reduce((total, one) => total + of(one), 0);
  return {
    streams,
    windows: latencies.length,
    finals: finals.length,
    opened: sum(({ opened }) => opened),
    failures: results.flatMap(({ failures }) => failures),
    latencyMs: percentiles(latencies),
    finalMs: percentiles(finals),
    generatorLagMs: percentiles(join(results.map(({ lags }) => lags))),
    quarters: quartersOf(results.map((one) => one.latencies)),
    unanswered: sum(({ unanswered }) => unanswered),
    skippedTurns: sum(({ skippedTurns }) => skippedTurns),
    compared: sum(({ compared }) => compared),
    different: sum(({ different }) => different),
    differentAlone: sum(({ differentAlone }) => differentAlone),
  };
}
