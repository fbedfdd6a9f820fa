import type { Scenario } from './scenarios.ts';

/** Parsed command line. */
export interface ChaosArguments {
  readonly name: string;
  readonly scenario: Scenario;
  readonly rounds: number;
}

/** Parses `[NAME] [--rounds N]`. Returns undefined if there are no arguments. */
export function parseChaosArguments(
  args: readonly string[],
  scenarios: Readonly<Record<string, Scenario>>,
): ChaosArguments | undefined {
  let name: string | undefined;
  let rounds: number | undefined;
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? '';
    if (argument === '--rounds') {
      rounds = Number(args[++index]);
      if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds requires a whole number of at least 1');
    } else if (name === undefined) {
      name = argument;
    } else {
      throw new Error(`unexpected argument "${argument}". Pass one scenario and --rounds N.`);
    }
  }
  if (name === undefined && rounds === undefined) return undefined;
  const scenario = name === undefined ? undefined : scenarios[name];
  if (name === undefined || scenario === undefined) {
    throw new Error(
      `${name === undefined ? 'no scenario given' : `there is no scenario "${name}"`}. ${list(scenarios)}`,
    );
  }
  return { name, scenario, rounds: rounds ?? scenario.rounds };
}

/** Splits rounds into parts of at most `size`. */
export function splitRounds(rounds: number, size: number): number[] {
  return Array.from({ length: Math.ceil(rounds / size) }, (_, part) => Math.min(size, rounds - part * size));
}

function list(scenarios: Readonly<Record<string, Scenario>>): string {
  return `Choose one of ${Object.keys(scenarios).join(', ')}`;
}
