import type { BenchOptions } from './benchmark.ts';

export interface BenchArguments {
  names: readonly string[];
  jsonFile: string | undefined;
  size: NonNullable<BenchOptions['size']>;
  part: string | undefined;
}

/** Parses `[NAME...] [--quick | --full] [--part PART] [--json FILE]`. Without a name, every benchmark is selected. */
export function parseBenchArguments(args: readonly string[], known: readonly string[]): BenchArguments {
  const names: string[] = [];
  let jsonFile: string | undefined;
  let part: string | undefined;
  let size: BenchArguments['size'] = 'usual';
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? '';
    if (argument === '--json') {
      jsonFile = args[++index];
      if (jsonFile === undefined) throw new Error('--json needs a file name');
    } else if (argument === '--part') {
      part = args[++index];
      if (part === undefined) throw new Error('--part needs the name of a part');
    } else if (argument === '--quick' || argument === '--full') {
      size = argument === '--quick' ? 'quick' : 'full';
    } else if (known.includes(argument)) {
      names.push(argument);
    } else {
      throw new Error(`unknown benchmark "${argument}"; choose one of ${known.join(', ')}`);
    }
  }
  if (jsonFile !== undefined && names.length !== 1) throw new Error('--json needs the name of exactly one benchmark');
  if (part !== undefined && names.length !== 1) throw new Error('--part needs the name of exactly one benchmark');
  return { names: names.length === 0 ? known : names, jsonFile, size, part };
}
