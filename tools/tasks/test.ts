import { endOnSignal } from '../checks/command.ts';
import { build, checkTypes, format, lint } from '../checks/programs.ts';
import { runJest } from '../checks/jest.ts';
import type { Tally } from '../checks/step.ts';
import { addUp, oneFrom, runStep, verdict } from '../checks/step.ts';
import { ensureTestTools } from '../install/test-tools.ts';

const jestArgs = process.argv.slice(2);

/** What tests need and the system does not have yet. Only a failure counts: it is why tests fail further down. */
async function setUp(): Promise<Tally> {
  await ensureTestTools();
  return { passed: 0, failed: 0, skipped: 0 };
}

/** What reads sources and runs none. */
async function check(): Promise<Tally> {
  return addUp([
    await runStep('types', async () => oneFrom(await checkTypes())),
    await runStep('lint', async () => oneFrom(await lint())),
    await runStep('format', async () => oneFrom(await format('--check'))),
  ]);
}

endOnSignal();

const ready = [await runStep('set-up', setUp), await runStep('build', async () => oneFrom(await build()))];
// Checks use one core, and tests wait now and then: side by side they leave nothing of a small machine idle.
const found = await Promise.all([check(), runStep('tests', () => runJest(jestArgs))]);
const total = addUp([...ready, ...found]);
process.stdout.write(`${verdict(total)}\n`);
process.exit(total.failed === 0 ? 0 : 1);
