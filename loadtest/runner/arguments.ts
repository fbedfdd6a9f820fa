import { parseArgs } from 'node:util';
import { isScenario, SCENARIOS } from '../lib/scenarios.ts';
import type { ScenarioName } from '../lib/scenarios.ts';

/** Parsed command line. */
export interface LoadtestArguments {
  readonly scenario: ScenarioName;
  /** Folder for the report. If undefined, a new folder in loadtest/results is used. */
  readonly out: string | undefined;
  /** Whether to slow down the worker. The run must then fail. */
  readonly slowWorker: boolean;
  /** Whether to halve the CPU of the worker in the middle of the run. The run must still meet its targets. */
  readonly halveCpu: boolean;
  /** Whether to write the report files to the log as well, for pods whose files cannot be copied. */
  readonly logReport: boolean;
}

/** Parses `SCENARIO` and the options of the command line. Returns undefined if help should be printed. */
export function parseLoadtestArguments(args: readonly string[]): LoadtestArguments | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      out: { type: 'string' },
      'slow-worker': { type: 'boolean', default: false },
      'halve-cpu': { type: 'boolean', default: false },
      'log-report': { type: 'boolean', default: false },
    },
  });
  const [scenario = '', ...others] = positionals;
  if (values.help || args.length === 0) return undefined;
  if (others.length > 0) throw new Error(`unexpected argument "${others.join(' ')}". A load test runs one scenario.`);
  if (!isScenario(scenario)) {
    const problem = scenario === '' ? 'no scenario given' : `there is no scenario "${scenario}"`;
    throw new Error(`${problem}. Choose one of ${Object.keys(SCENARIOS).join(', ')}`);
  }
  return {
    scenario,
    out: values.out,
    slowWorker: values['slow-worker'],
    halveCpu: values['halve-cpu'],
    logReport: values['log-report'],
  };
}
