import { ConsoleError } from '../errors.ts';

const DAY_MS = 86_400_000;

/** Returns when a new key expires, as a date-time. Null if it never expires. */
export function expiryOf(
  { expires_in_days: days, expires_at: at }: { expires_in_days?: number; expires_at?: string | null },
  nowMs: number,
): string | null {
  if (days !== undefined && at !== undefined) {
    throw new ConsoleError('invalid_parameters', { message: 'Send expires_in_days or expires_at, not both.' });
  }
  if (days !== undefined) return new Date(nowMs + days * DAY_MS).toISOString();
  if (at === undefined || at === null) return null;
  const atMs = Date.parse(at);
  if (!(atMs > nowMs)) {
    throw new ConsoleError('invalid_parameters', { message: 'expires_at: must be in the future.' });
  }
  return new Date(atMs).toISOString();
}
