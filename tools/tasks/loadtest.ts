import { join, resolve } from 'node:path';
import { parseLoadtestArguments } from '../../loadtest/runner/arguments.ts';
import { buildHelp } from '../../loadtest/runner/help.ts';
import { buildLogLines, RESULT_FILES, writeResult } from '../../loadtest/runner/result-files.ts';
import { runLoadtest } from '../../loadtest/runner/run.ts';
import { root, say, stop } from '../launch/terminal.mjs';

const EXIT = { passed: 0, failed: 1, void: 2 } as const;
const INTERRUPTED = 130;

function readArguments() {
  try {
    return parseLoadtestArguments(process.argv.slice(2));
  } catch (error) {
    return stop(error instanceof Error ? error.message : String(error));
  }
}

const chosen = readArguments();
if (chosen === undefined) {
  process.stdout.write(buildHelp());
  process.exit(0);
}

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
process.on('disconnect', () => stopping.abort());

const steps: (() => Promise<void> | void)[] = [];
const at = new Date().toISOString().slice(0, 19).replaceAll(':', '');
const out =
  chosen.out === undefined
    ? join(root, 'loadtest', 'results', `${chosen.scenario}-${at}`)
    : resolve(process.env.INIT_CWD ?? root, chosen.out);

let status: number;
try {
  const addCleanup = (step: () => Promise<void> | void) => void steps.push(step);
  const summary = await runLoadtest(chosen, out, { env: process.env, signal: stopping.signal, addCleanup });
  const lines = writeResult(out, summary);
  const files = chosen.logReport ? buildLogLines(out) : [];
  process.stdout.write(`${[...files, ...lines].join('\n')}\n`);
  say(`report: ${join(out, RESULT_FILES.page)}`);
  status = EXIT[summary.outcome];
} catch (error) {
  if (!stopping.signal.aborted) say(error instanceof Error ? error.message : String(error));
  status = stopping.signal.aborted ? INTERRUPTED : EXIT.failed;
}
for (const step of steps.toReversed()) {
  try {
    await step();
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}
process.exit(status);
