import { parseArgs } from 'node:util';

/** Suites of test files. test/support/suites.cjs assigns each file to one of them. */
export const SUITES = ['packages', 'service', 'kubernetes'] as const;

/** Suite that `npm test` runs without arguments. */
const DEFAULT_SUITE = 'packages';

export interface TestArguments {
  /** Undefined to run the files of all suites. */
  readonly suite: (typeof SUITES)[number] | undefined;
  readonly jestArgs: readonly string[];
}

/**
 * Parses the arguments of `npm test`. Without `--suite`, arguments for jest, such as a pattern, apply to the files of
 * all suites.
 * @throws {Error} if `--suite` names an unknown suite
 */
export function parseTestArguments(args: readonly string[]): TestArguments {
  const { tokens } = parseArgs({
    args: [...args],
    options: { suite: { type: 'string' } },
    strict: false,
    tokens: true,
  });
  const option = tokens.find((token) => token.kind === 'option' && token.name === 'suite');
  if (option?.kind !== 'option') return { suite: args.length > 0 ? undefined : DEFAULT_SUITE, jestArgs: args };
  const { index, value, inlineValue } = option;
  const jestArgs = args.toSpliced(index, inlineValue === true ? 1 : 2);
  if (value === 'all') return { suite: undefined, jestArgs };
  const suite = SUITES.find((name) => name === value);
  if (suite === undefined) {
    throw new Error(`there is no suite ${value ?? ''}: use --suite ${SUITES.join(', --suite ')} or --suite all`);
  }
  return { suite, jestArgs };
}
