import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { encodeInput } from './engine/corpus.ts';
import { createInputMemory, openCurrentInput } from './engine/current-input.ts';
import type { ThreadOptions, ThreadReport } from './engine/thread-protocol.ts';
import type { RunLimit } from './engine/thread-protocol.ts';
import { MAX_INPUT_BYTES, moduleOf } from './targets.ts';
import type { TargetEntry } from './targets.ts';

export interface FuzzOptions {
  readonly seed: number;
  readonly limit: RunLimit;
  readonly savesCorpus: boolean;
}

/** Outcome of the run of a target. */
export interface FuzzResult {
  readonly executions: number;
  readonly features: number;
  /** Description of the input that violates the property. Undefined if the property held. */
  readonly failure: string | undefined;
}

/**
 * Time after which an execution counts as one that never ends. An execution usually takes a few milliseconds at most.
 */
const HANG_MS = 20_000;
/** Maximum time until the first execution. The thread first loads and instruments the target. */
const START_MS = 120_000;
const POLL_MS = 500;
const THREAD = new URL('engine/thread.ts', import.meta.url);

/** Fuzzes a target in a thread of its own. */
export async function fuzzTarget(
  name: string,
  entry: TargetEntry,
  { seed, limit, savesCorpus }: FuzzOptions,
  hangMs = HANG_MS,
): Promise<FuzzResult> {
  const memory = createInputMemory(MAX_INPUT_BYTES);
  const current = openCurrentInput(memory);
  const options: ThreadOptions = {
    name,
    module: pathToFileURL(moduleOf(name, entry)).href,
    measured: entry.measured,
    seed,
    limit,
    savesCorpus,
    memory,
  };
  const thread = new Worker(THREAD, { workerData: options, execArgv: ['--disable-warning=ExperimentalWarning'] });
  return new Promise((resolve) => {
    const end = (result: FuzzResult) => {
      clearInterval(timer);
      void thread.terminate();
      resolve(result);
    };
    const fail = (problem: string, input: Buffer) =>
      end({ executions: current.count(), features: 0, failure: describeFailure(name, problem, input) });
    let [count, sinceMs] = [0, performance.now()];
    const timer = setInterval(() => {
      const limitMs = count === 0 ? START_MS : hangMs;
      if (current.count() !== count) [count, sinceMs] = [current.count(), performance.now()];
      else if (performance.now() - sinceMs > limitMs) fail(`the execution did not end in ${limitMs} ms`, current.get());
    }, POLL_MS);
    thread.on('error', (error) => fail((error as Error).stack ?? String(error), current.get()));
    thread.on('exit', () => fail('the thread ended', current.get()));
    thread.on('message', ({ executions, features, property, failure }: ThreadReport) => {
      if (failure === undefined) end({ executions, features, failure: undefined });
      else fail(`${property}\n${failure.error}`, Buffer.from(failure.input));
    });
  });
}

function describeFailure(name: string, problem: string, input: Buffer): string {
  return [
    `${name}: ${problem}`,
    `The input has ${input.length} bytes. Fix the fault and add the input to "regressions" in tools/fuzz/corpus/${name}.json:`,
    JSON.stringify(encodeInput(input)),
  ].join('\n');
}
