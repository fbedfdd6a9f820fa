import { UsageError } from './exit.ts';

/** Converts `--expires` to the fields of the admin API. */
export function parseExpiry(text: string | undefined): { expires_in_days?: number; expires_at?: string } {
  if (text === undefined) return {};
  const days = /^([1-9]\d{0,3})d$/.exec(text)?.[1];
  if (days !== undefined) return { expires_in_days: Number(days) };
  if (/^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text))) {
    return { expires_at: new Date(text).toISOString() };
  }
  throw new UsageError('--expires must be a number of days (90d) or a time (2027-01-31T00:00:00Z)');
}

/** Parses an option as a whole number. Undefined if the option is absent. */
export function parseWhole(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^-?\d{1,12}$/.test(text)) throw new UsageError(`--${name} must be a whole number`);
  return Number(text);
}
