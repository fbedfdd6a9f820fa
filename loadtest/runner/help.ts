import { LOAD_OPTIONS } from '../lib/options.ts';
import type { LoadOption } from '../lib/options.ts';
import { SCENARIOS } from '../lib/scenarios.ts';
import type { Scenario } from '../lib/scenarios.ts';
import { buildTable, code } from '../../tools/docs/markdown.ts';

const FLAGS = {
  '--out FOLDER': 'Folder of the result. [a new one in loadtest/results]',
  '--slow-worker': 'Slows down the worker of a temporary service. The run must then miss latency targets.',
  '--halve-cpu': 'Limits the worker of a temporary service to half a core in mid-run. Needs Linux and root.',
  '--log-report': 'Also writes the result to the log, for pods whose files cannot be copied.',
};

/** Builds the text that the command prints with --help and without arguments. */
export function buildHelp(): string {
  const row = (name: string, text: string) => `  ${name.padEnd(20)} ${text}`;
  const scenarios = Object.entries(SCENARIOS).map(([name, { summary }]) => row(name, summary));
  const flags = Object.entries(FLAGS).map(([name, text]) => row(name, text));
  const options = Object.entries<LoadOption>(LOAD_OPTIONS).map(([name, { fallback, description }]) =>
    row(name, `${description}${fallback === '' ? '' : ` [${fallback}]`}`),
  );
  return [
    'npm run loadtest -- SCENARIO [--out FOLDER] [--slow-worker] [--halve-cpu] [--log-report]',
    '',
    'Scenarios:',
    ...scenarios,
    '',
    'Flags:',
    ...flags,
    '',
    'Environment variables (docs/load-testing.md):',
    ...options,
    '',
  ].join('\n');
}

/** Builds the table of scenarios in docs/load-testing.md. */
export function buildScenarioTable(): string {
  return buildTable(
    ['scenario', 'purpose', 'own defaults', 'fails on'],
    Object.entries<Scenario>(SCENARIOS).map(([name, { summary, defaults, requiresLatency }]) => [
      code(name),
      summary,
      Object.entries(defaults)
        .map(([option, value]) => code(`${option}=${value}`))
        .join(' '),
      requiresLatency ? 'correctness, latency' : 'correctness',
    ]),
  );
}

/** Builds the table of options in docs/load-testing.md. */
export function buildOptionTable(): string {
  return buildTable(
    ['name', 'default', 'meaning'],
    Object.entries<LoadOption>(LOAD_OPTIONS).map(([name, { fallback, description }]) => [
      code(name),
      fallback === '' ? 'empty' : code(fallback),
      description,
    ]),
  );
}
