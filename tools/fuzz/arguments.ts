/** Parsed command line. */
export interface FuzzArguments {
  /** Names of the targets to run. */
  readonly names: readonly string[];
  /** Duration per target. Undefined if the number of executions ends the run. */
  readonly seconds: number | undefined;
  readonly seed: number;
  readonly savesCorpus: boolean;
}

export const USAGE = 'npm run fuzz -- [TARGET...] [--seconds N] [--seed S] [--save]';
const DEFAULT_SEED = 1;

/** Parses `[TARGET...] [--seconds N] [--seed S] [--save]`. Without targets, all are run. */
export function parseFuzzArguments(args: readonly string[], targets: readonly string[]): FuzzArguments {
  const names: string[] = [];
  let seconds: number | undefined;
  let seed = DEFAULT_SEED;
  let savesCorpus = false;
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? '';
    if (argument === '--seconds') seconds = wholeNumber(argument, args[++index]);
    else if (argument === '--seed') seed = wholeNumber(argument, args[++index]);
    else if (argument === '--save') savesCorpus = true;
    else if (targets.includes(argument)) names.push(argument);
    else throw new Error(`there is no target "${argument}". Usage: ${USAGE}. Targets: ${targets.join(', ')}`);
  }
  return { names: names.length === 0 ? targets : names, seconds, seed, savesCorpus };
}

function wholeNumber(name: string, text: string | undefined): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${name} requires a whole number of at least 1`);
  return value;
}
