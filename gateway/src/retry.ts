import { LedgerUnavailable } from '@svc-asr/ledger';

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1000;
/** A refusal is mended by people, if at all. */
const FIRST_REFUSED_WAIT_MS = 1000;
const LONGEST_REFUSED_WAIT_MS = 60_000;

/** Asks again, ever more slowly, until Redis answers; whatever else goes wrong is passed on: asking again would not help. */
export async function retryUntilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) throw error;
      await pause(waitMs);
    }
  }
}

/** The same for what must not be left undone: also after a refusal, which is told, it is asked again, far more slowly. */
export async function retryUntilDone<T>(ask: () => Promise<T>, onRefused: (error: unknown) => void): Promise<T> {
  for (let waitMs = FIRST_REFUSED_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_REFUSED_WAIT_MS)) {
    try {
      return await retryUntilAnswered(ask);
    } catch (error) {
      onRefused(error);
      await pause(waitMs);
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
