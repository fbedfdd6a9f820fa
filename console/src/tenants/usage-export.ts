import type { DailyUsage } from '@svc-asr/ledger';

export const USAGE_FORMATS = ['csv', 'jsonl'] as const;
export type UsageFormat = (typeof USAGE_FORMATS)[number];

/** Number of tenants whose usage is read at the same time. */
const TENANTS_AT_ONCE = 50;

const COLUMNS = ['tenant', 'day', 'model', 'sessions', 'audio_ms', 'billable_ms'] as const;

/**
 * Yields the usage of tenants as text, one piece for each group of tenants, in the order of the list. A group is read
 * only after the reader has consumed the previous one, so the memory does not grow with the number of tenants.
 */
export async function* usageLines(
  tenants: readonly string[],
  format: UsageFormat,
  read: (tenant: string) => Promise<readonly DailyUsage[]>,
): AsyncGenerator<string> {
  if (format === 'csv') yield `${COLUMNS.join(',')}\n`;
  for (let at = 0; at < tenants.length; at += TENANTS_AT_ONCE) {
    const group = tenants.slice(at, at + TENANTS_AT_ONCE);
    const usages = await Promise.all(group.map(async (tenant) => ({ tenant, days: await read(tenant) })));
    const lines = usages.flatMap(({ tenant, days }) => days.map((usage) => lineOf(tenant, usage, format)));
    if (lines.length > 0) yield lines.join('');
  }
}

/**
 * Formats one row. CSV values are not quoted, because names of tenants and models have no characters that need quotes.
 */
function lineOf(tenant: string, usage: DailyUsage, format: UsageFormat): string {
  const { day, model, sessions, audioMs, billableMs } = usage;
  const row = { tenant, day, model, sessions, audio_ms: audioMs, billable_ms: billableMs };
  return format === 'csv' ? `${COLUMNS.map((name) => row[name]).join(',')}\n` : `${JSON.stringify(row)}\n`;
}
