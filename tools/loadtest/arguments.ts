import { isScenario, SCENARIOS } from '../../loadtest/lib/scenarios.ts';
import type { ScenarioName } from '../../loadtest/lib/scenarios.ts';

/** What the command line asks for. */
export interface LoadtestArguments {
  readonly scenario: ScenarioName;
  /** Folder for the report; undefined: a new one under loadtest/results. */
  readonly out: string | undefined;
  /** Whether the worker is held back, to see that it is noticed. */
  readonly slowWorker: boolean;
  /** Whether what is written is printed too, for whoever has nothing but the log. */
  readonly logReport: boolean;
}

/** Reads `SCENARIO [--out FOLDER] [--slow-worker] [--log-report]`; undefined when help is asked for. */
export function parseLoadtestArguments(args: readonly string[]): LoadtestArguments | undefined {
  let scenario: ScenarioName | undefined;
  let out: string | undefined;
  let slowWorker = false;
  let logReport = false;
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? '';
    if (argument === '--help') return undefined;
    if (argument === '--slow-worker') slowWorker = true;
    else if (argument === '--log-report') logReport = true;
    else if (argument === '--out') {
      out = args[++index];
      if (out === undefined) throw new Error('--out needs a folder');
    } else if (scenario !== undefined) throw new Error(`"${argument}" is one too many: a load test has one scenario`);
    else if (isScenario(argument)) scenario = argument;
    else throw new Error(`there is no scenario "${argument}"; there are ${Object.keys(SCENARIOS).join(', ')}`);
  }
  if (args.length === 0) return undefined;
  if (scenario === undefined) throw new Error(`name a scenario: ${Object.keys(SCENARIOS).join(', ')}`);
  return { scenario, out, slowWorker, logReport };
}
