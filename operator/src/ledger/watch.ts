import type { LedgerGuard } from './guard.ts';

/**
 * Checks the ledger at intervals and calls `onChange` when it goes missing and when it is present again. A check that
 * fails for another reason calls nothing, because the work that needs Redis reports the same failure. Returns a
 * function that stops the checks.
 */
export function watchGuard(guard: LedgerGuard, intervalMs: number, onChange: () => void): () => void {
  let wasMissing = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const runCheck = async () => {
    await guard.check().catch(() => undefined);
    const isMissing = guard.missing() !== undefined;
    if (isMissing !== wasMissing) onChange();
    wasMissing = isMissing;
    if (!stopped) timer = setTimeout(() => void runCheck(), intervalMs);
  };
  void runCheck();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
