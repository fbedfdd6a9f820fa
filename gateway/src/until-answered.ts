import { LedgerUnavailable } from '@svc-asr/ledger';

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1000;

/** Asks again, ever more slowly, until Redis answers; whatever else goes wrong is passed on: asking again would not help. */
export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}
