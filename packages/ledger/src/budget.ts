import type { Budget, BudgetRecord } from './types.ts';

/** Parses the budget in the reply of usage.lua. Undefined if the tenant has none. */
export function readBudget(reply: unknown): Budget | undefined {
  const [month, monthlyMs, remainingMs] = reply as [string?, number?, number?];
  if (month === undefined || monthlyMs === undefined || monthlyMs === 0) return undefined;
  return { month, monthlyMs, remainingMs: remainingMs ?? 0, renewsAtMs: nextMonthMs(month) };
}

/** Parses the budget in the hash of an account. Undefined if the tenant never had one. */
export function readBudgetRecord(account: ReadonlyMap<string, string>): BudgetRecord | undefined {
  const month = account.get('bm');
  if (month === undefined) return undefined;
  const number = (field: string) => Number(account.get(field) ?? 0);
  return {
    month,
    monthlyMs: number('ba'),
    remainingMs: number('bl'),
    renewsAtMs: nextMonthMs(month),
    usedMs: number('bu'),
    grantedMs: number('bt'),
  };
}

/** Returns the time at which the month after `month` starts. `month` is YYYY-MM in UTC. */
export function nextMonthMs(month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return Date.UTC(year, number, 1);
}
