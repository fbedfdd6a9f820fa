import { isScenario, SCENARIOS } from '../lib/scenarios.ts';
import type { ScenarioName } from '../lib/scenarios.ts';

/** Parsed command line. */
export interface LoadtestArguments {
  readonly scenario: ScenarioName;
  /** Folder for the report. If undefined, a new one in loadtest/results. */
  readonly out: string | undefined;
  /** Whether to slow the worker down, which must make the run fail. */
  readonly slowWorker: boolean;
  /** Whether to write the report files to the log too, for pods whose files cannot be copied. */
  readonly logReport: boolean;
}

/** Parses `SCENARIO [--out FOLDER] [--slow-worker] [--log-report]`. Returns undefined if help should be printed. */
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
      if (out === undefined) throw new Error('--out requires a folder');
    } else if (scenario !== undefined)
      throw new Error(`unexpected argument "${argument}". A load test runs one scenario.`);
    else if (isScenario(argument)) scenario = argument;
    else throw new Error(`there is no scenario "${argument}". Choose one of ${Object.keys(SCENARIOS).join(', ')}`);
  }
  if (args.length === 0) return undefined;
  if (scenario === undefined) throw new Error(`no scenario given. Choose one of ${Object.keys(SCENARIOS).join(', ')}`);
  return { scenario, out, slowWorker, logReport };
}
