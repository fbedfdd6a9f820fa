import { join } from 'node:path';
import { endOnSignal } from '../checks/command.ts';
import { build, checkTypes, format, lint } from '../checks/programs.ts';
import { runJest } from '../checks/jest.ts';
import type { Tally } from '../checks/step.ts';
import { addUp, oneFrom, runStep, verdict } from '../checks/step.ts';
import type { TestArguments } from '../checks/test-arguments.ts';
import { parseTestArguments } from '../checks/test-arguments.ts';
import { ensureTestTools } from '../install/test-tools.ts';
import { logProgress, messageOf, root, stop } from '../launch/terminal.mjs';

const { suite, jestArgs } = parseOrStop(process.argv.slice(2));
const filter = suite === undefined ? [] : [`--filter=${join(root, 'test/support/suites.cjs')}`];

function parseOrStop(args: readonly string[]): TestArguments {
  try {
    return parseTestArguments(args);
  } catch (error) {
    return stop(messageOf(error));
  }
}

/** Installs the programs that tests run. A successful installation does not count as a passed test. */
async function setUp(): Promise<Tally> {
  await ensureTestTools();
  return { passed: 0, failed: 0, skipped: 0 };
}

/** Runs the checks that only read sources. */
async function check(): Promise<Tally> {
  return addUp([
    await runStep('types', async () => oneFrom(await checkTypes())),
    await runStep('lint', async () => oneFrom(await lint())),
    await runStep('format', async () => oneFrom(await format('--check'))),
  ]);
}

endOnSignal();
if (suite !== undefined) process.env.TEST_SUITE = suite;

const prepared = [await runStep('set-up', setUp), await runStep('build', async () => oneFrom(await build()))];
// The checks use one core, and the tests wait part of the time. Running the checks and the tests together keeps two
// cores busy.
const results = await Promise.all([check(), runStep('tests', () => runJest([...filter, ...jestArgs]))]);
const total = addUp([...prepared, ...results]);
if (suite !== undefined) logProgress(`the suite ${suite} was tested; "npm test -- --suite all" tests everything`);
process.stdout.write(`${verdict(total)}\n`);
process.exit(total.failed === 0 ? 0 : 1);
