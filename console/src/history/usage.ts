import { validator } from '@svc-asr/core';
import type { KeyUsage } from '@svc-asr/ledger';
import type { Request, Response } from 'express';
import Type from 'typebox';
import { ConsoleError } from '../errors.ts';
import { valid } from '../http/body.ts';
import { exact, withNumbers } from '../http/query.ts';
import type { LedgerView } from '../ledger-view.ts';
import type { UsageByKeyView, UsageRow } from '../responses/history.ts';
import { checkRange, DAY_MS, dateOf } from './range.ts';

const DEFAULT_DAYS = 30;
const date = Type.Optional(Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' }));

const checkQuery = validator(
  exact({
    from: date,
    to: date,
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 400 })),
    format: Type.Enum(['json', 'csv'], { default: 'json' }),
  }),
);

const COLUMNS = ['day', 'model', 'key_id', 'source', 'sessions', 'audio_ms', 'billable_ms'] as const;

export interface UsageOptions {
  nowMs: number;
  retentionDays: number;
}

/** Sends the usage of a tenant by day, model and key, as JSON or CSV. The query names the days. */
export async function sendUsage(
  ledger: Pick<LedgerView, 'accounts'>,
  tenant: string,
  { query, response }: { query: Request['query']; response: Response },
  options: UsageOptions,
): Promise<void> {
  const { format, ...asked } = valid(checkQuery(withNumbers(query, ['days'])));
  const { from, to } = rangeOf(asked, options);
  const rows = (await ledger.accounts.usageByKey(tenant, from, to)).map(viewRow);
  if (format === 'csv') {
    response.attachment(`usage-${tenant}-${from}-${to}.csv`);
    response.type('text/csv').send(csvOf(rows));
    return;
  }
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  const view: UsageByKeyView = { object: 'list', from, to, days, data: rows };
  response.json(view);
}

/** Returns the first and the last day of a query: `from` and `to`, or the last `days`. */
function rangeOf(
  { from, to, days }: { from?: string; to?: string; days?: number },
  { nowMs, retentionDays }: UsageOptions,
): { from: string; to: string } {
  if (from === undefined && to === undefined) {
    return { from: dateOf(nowMs - ((days ?? DEFAULT_DAYS) - 1) * DAY_MS), to: dateOf(nowMs) };
  }
  if (from === undefined || to === undefined || days !== undefined) {
    const message = 'Name the days by from and to, or by days, and not by both.';
    throw new ConsoleError('invalid_parameters', { message });
  }
  checkRange(from, to, dateOf(nowMs - retentionDays * DAY_MS));
  // Days in the future have no usage. Tomorrow is included, because the clock of Redis may be ahead.
  const tomorrow = dateOf(nowMs + DAY_MS);
  return { from: from < tomorrow ? from : tomorrow, to: to < tomorrow ? to : tomorrow };
}

function viewRow({ day, model, keyId, source, sessions, audioMs, billableMs }: KeyUsage): UsageRow {
  return { day, model, key_id: keyId, source, sessions, audio_ms: audioMs, billable_ms: billableMs };
}

/**
 * Formats rows as CSV. Nothing is quoted, because names of models and ids of keys have no characters that need quotes.
 */
function csvOf(rows: readonly UsageRow[]): string {
  const lines = rows.map((row) => COLUMNS.map((name) => row[name] ?? '').join(','));
  return `${[COLUMNS.join(','), ...lines].join('\n')}\n`;
}
