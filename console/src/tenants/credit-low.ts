import type { AccountView } from '../responses.ts';

/** Share of the budget or of the granted credit, below which a balance is low. */
const LOW_PART = 0.1;
const LOW_MS = 60_000;

/**
 * Returns true if little credit is left: less than a minute, or less than a tenth of the month's budget. Without a
 * budget, less than a tenth of all granted credit.
 */
export function isCreditLow({
  available_ms: availableMs,
  granted_ms: grantedMs,
  budget,
}: AccountView['credits']): boolean {
  return availableMs < Math.max(LOW_MS, (budget?.monthly_ms ?? grantedMs) * LOW_PART);
}
