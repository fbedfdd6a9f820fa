import { endOnSignal } from '../checks/command.ts';
import { build, checkTypes, format, lint } from '../checks/programs.ts';
import { runJest } from '../checks/jest.ts';
import type { Tally } from '../checks/step.ts';
import { addUp, oneFrom, runStep, verdict } from '../checks/step.ts';
import { ensureTestTools } from '../install/test-tools.ts';

const jestArgs = process.argv.slice(2);

/** Installs the programs that tests run. It is not counted as a test if it succeeds. */
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

const prepared = [await runStep('set-up', setUp), await runStep('build', async () => oneFrom(await build()))];
// The checks use one core. Tests wait part of the time, so running both keeps two cores busy.
const results = await Promise.all([check(), runStep('tests', () => runJest(jestArgs))]);
const total = addUp([...prepared, ...results]);
process.stdout.write(`${verdict(total)}\n`);
process.exit(total.failed === 0 ? 0 : 1);
