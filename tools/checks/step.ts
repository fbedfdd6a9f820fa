import { logProgress } from '../launch/terminal.mjs';

/** Outcomes of the tests and checks of a step. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** Runs a step and prints its start, its outcome and its duration. A step that throws counts as one failure. */
export async function runStep(name: string, step: () => Promise<Tally>, report = logProgress): Promise<Tally> {
  report(`${name} …`);
  const startedAt = performance.now();
  let tally: Tally;
  try {
    tally = await step();
  } catch (error) {
    report(error instanceof Error ? error.message : String(error));
    tally = { passed: 0, failed: 1, skipped: 0 };
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  report(`${name}: ${tally.failed === 0 ? 'ok' : 'FAILED'} (${seconds} s)`);
  return tally;
}

/** Returns the tally of a step that counts as one test, from the exit status of its command. */
export function oneFrom(status: number): Tally {
  return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: 0 };
}

/** Sums the outcomes of several steps. */
export function addUp(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (sum, { passed, failed, skipped }) => ({
      passed: sum.passed + passed,
      failed: sum.failed + failed,
      skipped: sum.skipped + skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
}

/** Returns the last line of `npm test` and similar tasks. */
export function verdict({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
