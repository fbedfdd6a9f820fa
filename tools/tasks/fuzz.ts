import { addUp, oneFrom, runStep, verdict } from '../checks/step.ts';
import type { Tally } from '../checks/step.ts';
import { parseFuzzArguments } from '../fuzz/arguments.ts';
import { fuzzTarget } from '../fuzz/run.ts';
import { TARGETS } from '../fuzz/targets.ts';
import { logProgress, runTask } from '../launch/terminal.mjs';

await runTask(async () => {
  const { names, seconds, seed, savesCorpus } = parseFuzzArguments(process.argv.slice(2), Object.keys(TARGETS));
  const tallies: Tally[] = [];
  for (const name of names) {
    const entry = TARGETS[name];
    if (entry === undefined) continue;
    const fuzz = async () => {
      const limit = { executions: entry.executions, seconds };
      const { executions, features, failure } = await fuzzTarget(name, entry, { seed, limit, savesCorpus });
      logProgress(failure ?? `${name}: ${executions} executions reached ${features} features`);
      return oneFrom(failure === undefined ? 0 : 1);
    };
    tallies.push(await runStep(`fuzz ${name}`, fuzz));
  }
  const total = addUp(tallies);
  process.stdout.write(`${verdict(total)}\n`);
  return total.failed === 0 ? 0 : 1;
});
