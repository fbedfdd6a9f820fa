import { dayOf, daysBetween } from './group.ts';

/** Maximum length of a range. By default, the ledger keeps usage for 400 days. */
const MAX_DAYS = 400;
const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export interface UsageRange {
  /** Value of the picker: a number of days, or `custom`. */
  readonly choice: string;
  readonly from: string;
  readonly to: string;
}

/** Reads the range from the query of the address. Returns the default range if the query contains no valid range. */
export function readRange(query: URLSearchParams, nowMs: number): UsageRange {
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
  if (isRange(from, to)) return { choice: 'custom', from, to };
  const days = Number(query.get('days') ?? DEFAULT_DAYS);
  return lastDays(Number.isInteger(days) && days >= 1 && days <= MAX_DAYS ? days : DEFAULT_DAYS, nowMs);
}

/** Returns the range of the last `days` days, including today. */
export function lastDays(days: number, nowMs: number): UsageRange {
  return { choice: String(days), from: dayOf(nowMs - (days - 1) * DAY_MS), to: dayOf(nowMs) };
}

/** Returns whether two texts are days that form a range of 1 to 400 days. */
export function isRange(from: string, to: string): boolean {
  if (![from, to].every(isDay)) return false;
  const { length } = daysBetween(from, to);
  return length >= 1 && length <= MAX_DAYS;
}

/**
 * Returns whether the text is a day of the calendar. Date.parse() alone is not enough, because it also accepts 30
 * February.
 */
function isDay(text: string): boolean {
  const atMs = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(atMs) && dayOf(atMs) === text;
}
