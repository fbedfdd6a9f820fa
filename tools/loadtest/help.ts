import { KNOBS } from '../../loadtest/lib/knobs.ts';
import type { Knob } from '../../loadtest/lib/knobs.ts';
import { SCENARIOS } from '../../loadtest/lib/scenarios.ts';
import type { Scenario } from '../../loadtest/lib/scenarios.ts';
import { buildTable, code } from '../docs/markdown.ts';

/** What the command prints when nobody tells it what to do. */
export function buildHelp(): string {
  const scenarios = Object.entries(SCENARIOS).map(([name, { what }]) => `  ${name.padEnd(20)} ${what}`);
  const knobs = Object.entries<Knob>(KNOBS).map(
    ([name, { fallback, description }]) =>
      `  ${name.padEnd(20)} ${description}${fallback === '' ? '' : ` [${fallback}]`}`,
  );
  return [
    'npm run loadtest -- SCENARIO [--out FOLDER] [--slow-worker] [--log-report]',
    '',
    ...scenarios,
    '',
    'Set by environment variables (docs/load-testing.md):',
    ...knobs,
    '',
  ].join('\n');
}

/** The table of scenarios in docs/load-testing.md. */
export function buildScenarioTable(): string {
  return buildTable(
    ['scenario', 'what it shows', 'own defaults', 'fails on'],
    Object.entries<Scenario>(SCENARIOS).map(([name, { what, defaults, holdsPromises }]) => [
      code(name),
      what,
      Object.entries(defaults)
        .map(([knob, value]) => code(`${knob}=${value}`))
        .join(' '),
      holdsPromises ? 'correctness, latency' : 'correctness',
    ]),
  );
}

/** The table of knobs in docs/load-testing.md. */
export function buildKnobTable(): string {
  return buildTable(
    ['name', 'default', 'meaning'],
    Object.entries<Knob>(KNOBS).map(([name, { fallback, description }]) => [
      code(name),
      fallback === '' ? 'empty' : code(fallback),
      description,
    ]),
  );
}
