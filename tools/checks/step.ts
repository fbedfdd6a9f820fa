import { say } from '../launch/terminal.mjs';

/** What a part of `npm test` found. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** Announces a step, runs it, and says how it went and how long it took. */
export async function runStep(name: string, step: () => Promise<Tally>, tell = say): Promise<Tally> {
  tell(`${name} …`);
  const startedAt = performance.now();
  let tally: Tally;
  try {
    tally = await step();
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error));
    tally = { passed: 0, failed: 1, skipped: 0 };
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  tell(`${name}: ${tally.failed === 0 ? 'ok' : 'FAILED'} (${seconds} s)`);
  return tally;
}

/** A step that counts as one: it passes when its command does. */
export function oneFrom(status: number): Tally {
  return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: 0 };
}

/** All steps together. */
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

/** The last line of `npm test`. */
export function verdict({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
