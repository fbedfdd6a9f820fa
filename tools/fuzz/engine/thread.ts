import { parentPort, workerData } from 'node:worker_threads';
import { readCorpus, writeCorpus } from './corpus.ts';
import { Coverage, measureCoverage } from './coverage.ts';
import { Fuzzer } from './fuzzer.ts';
import { openCurrentInput } from './current-input.ts';
import type { FuzzTarget } from './target.ts';
import type { ThreadOptions, ThreadReport } from './thread-protocol.ts';

// A thread runs one target, because a target that never returns can only be ended together with its thread.
const { name, module, measured, seed, limit, savesCorpus, memory } = workerData as ThreadOptions;

measureCoverage(measured);
const { target } = (await import(module)) as { target: FuzzTarget };
const { regressions, inputs } = readCorpus(name);
const coverage = new Coverage();
const current = openCurrentInput(memory);
const fuzzer = new Fuzzer({
  target,
  seed,
  inputs: [...Object.values(regressions), ...inputs],
  coverage,
  onExecute: (input) => current.set(input),
});
const endsAtMs = performance.now() + (limit.seconds ?? 0) * 1000;
const failure = await fuzzer.fuzz(() =>
  limit.seconds === undefined ? fuzzer.executions >= limit.executions : performance.now() >= endsAtMs,
);
const { executions } = fuzzer;
if (savesCorpus && failure === undefined) writeCorpus(name, { regressions, inputs: await fuzzer.minimize() });
const report: ThreadReport = { executions, features: coverage.size, property: target.property, failure };
parentPort?.postMessage(report);
