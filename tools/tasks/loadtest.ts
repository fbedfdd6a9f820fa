import { join } from 'node:path';
import { parseLoadtestArguments } from '../../loadtest/runner/arguments.ts';
import { buildHelp } from '../../loadtest/runner/help.ts';
import { buildLogLines, RESULT_FILES, writeResult } from '../../loadtest/runner/result-files.ts';
import { runLoadtest } from '../../loadtest/runner/run.ts';
import { messageOf, onStop, root, runTask, logProgress, userPath } from '../launch/terminal.mjs';

const EXIT = { passed: 0, failed: 1, void: 2 } as const;
const INTERRUPTED = 130;

await runTask(async () => {
  const chosen = parseLoadtestArguments(process.argv.slice(2));
  if (chosen === undefined) {
    process.stdout.write(buildHelp());
    return 0;
  }
  const stopping = new AbortController();
  onStop(() => stopping.abort());
  const at = new Date().toISOString().slice(0, 19).replaceAll(':', '');
  const { scenario } = chosen;
  const out = chosen.out === undefined ? join(root, 'loadtest', 'results', `${scenario}-${at}`) : userPath(chosen.out);
  const steps: (() => Promise<void> | void)[] = [];
  const addCleanup = (step: () => Promise<void> | void) => void steps.push(step);
  let status: number;
  try {
    const summary = await runLoadtest(chosen, out, { env: process.env, signal: stopping.signal, addCleanup });
    const lines = writeResult(out, summary);
    const files = chosen.logReport ? buildLogLines(out) : [];
    process.stdout.write(`${[...files, ...lines].join('\n')}\n`);
    logProgress(`report: ${join(out, RESULT_FILES.page)}`);
    status = EXIT[summary.outcome];
  } catch (error) {
    if (!stopping.signal.aborted) logProgress(messageOf(error));
    status = stopping.signal.aborted ? INTERRUPTED : EXIT.failed;
  }
  for (const step of steps.toReversed()) {
    try {
      await step();
    } catch (error) {
      logProgress(messageOf(error));
    }
  }
  return status;
});
