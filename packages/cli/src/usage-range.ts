import { UsageError } from './exit.ts';

/** First and last day of an export, as YYYY-MM-DD in UTC. */
export interface UsageRange {
  from: string;
  to: string;
}

export interface RangeOptions {
  from: string | undefined;
  to: string | undefined;
  period: string | undefined;
}

const DAY_MS = 86_400_000;

/**
 * Returns the days that an export covers. Without `from` it is the last complete day or month. The usage of a complete
 * day no longer changes.
 */
export function parseRange({ from, to, period }: RangeOptions, nowMs: number): UsageRange {
  const yesterday = dateOf(nowMs - DAY_MS);
  if (from !== undefined) {
    if (period !== undefined) throw new UsageError('--period cannot be combined with --from');
    return { from: day('from', from), to: day('to', to ?? yesterday) };
  }
  if (to !== undefined) throw new UsageError('--to requires --from');
  if (period === 'day') return { from: yesterday, to: yesterday };
  if (period !== undefined && period !== 'month') throw new UsageError('--period must be day or month');
  const now = new Date(nowMs);
  const first = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1);
  const last = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) - DAY_MS;
  return { from: dateOf(first), to: dateOf(last) };
}

function day(name: string, text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return text;
  throw new UsageError(`--${name} must be a day such as 2027-01-31`);
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
