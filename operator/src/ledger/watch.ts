import type { LedgerGuard } from './guard.ts';

/**
 * Checks the ledger again and again, and calls `onChange` when it went missing or came back. Why a check failed otherwise
 * is told by the work that fails with it. Returns how to stop.
 */
export function watchGuard(guard: LedgerGuard, intervalMs: number, onChange: () => void): () => void {
  let wasMissing = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const turn = async () => {
    await guard.check().catch(() => undefined);
    const isMissing = guard.missing() !== undefined;
    if (isMissing !== wasMissing) onChange();
    wasMissing = isMissing;
    if (!stopped) timer = setTimeout(() => void turn(), intervalMs);
  };
  void turn();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
