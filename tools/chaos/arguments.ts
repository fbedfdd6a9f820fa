import type { Scenario } from './scenarios.ts';

/** What the command line asks for. */
export interface ChaosArguments {
  readonly name: string;
  readonly scenario: Scenario;
  readonly rounds: number;
}

/** Reads `[NAME] [--rounds N]`; undefined without a name. */
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
      if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds needs a whole number from 1 on');
    } else if (name === undefined) {
      name = argument;
    } else {
      throw new Error(`"${argument}" is one too many: chaos takes one name and --rounds N`);
    }
  }
  if (name === undefined && rounds === undefined) return undefined;
  const scenario = name === undefined ? undefined : scenarios[name];
  if (name === undefined || scenario === undefined) {
    throw new Error(`${name === undefined ? 'chaos needs a name' : `there is no chaos "${name}"`}; ${list(scenarios)}`);
  }
  return { name, scenario, rounds: rounds ?? scenario.rounds };
}

/** Cuts rounds into parts of at most `size`. */
export function splitRounds(rounds: number, size: number): number[] {
  return Array.from({ length: Math.ceil(rounds / size) }, (_, part) => Math.min(size, rounds - part * size));
}

function list(scenarios: Readonly<Record<string, Scenario>>): string {
  return `there are ${Object.keys(scenarios).join(', ')}`;
}
