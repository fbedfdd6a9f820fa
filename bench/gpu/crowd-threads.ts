import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Context, Engine } from '@svc-asr/worker';
import type { Control } from './controls.ts';
import type { CrowdRun, CrowdThreadOptions } from './crowd-thread.ts';
import type { CrowdResult } from './crowd.ts';
import { summarize, sumOf } from './load-summary.ts';
import type { LoadSummary } from './load-summary.ts';
import { shareOf } from './turns.ts';

/** Result of all threads together. */
export interface CrowdSummary extends LoadSummary {
  readonly streams: number;
  readonly skippedTurns: number;
  readonly differentAlone: number;
}

/**
 * Time between the message that announces a run to the threads and the start of the run. All threads receive the
 * message within this time, and can therefore start at the same moment.
 */
const LEAD_MS = 200;
const WARM_SECONDS = 15;

/** Threads that generate load for an engine. They access the engine in the same way as the I/O threads of a worker. */
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

  /** Runs one load (a crowd). Divides its streams among the threads. */
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
        const run: CrowdRun = {
          streams: shareOf(streams, i, count),
          seconds,
          warmSeconds: WARM_SECONDS,
          inPhase,
          startAtMs,
        };
        thread.postMessage(run);
        const [result] = (await once(thread, 'message')) as [CrowdResult];
        return result;
      }),
    );
    return {
      ...summarize(results),
      streams,
      skippedTurns: sumOf(results, ({ skippedTurns }) => skippedTurns),
      differentAlone: sumOf(results, ({ differentAlone }) => differentAlone),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }
}
