import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { fields } from './replies.ts';
import type { DailyUsage } from './types.ts';

const DAY_MS = 86_400_000;
/** Must equal USAGE_PERIOD_DAYS in scripts/include/daily_usage.lua. */
const PERIOD_DAYS = 32;

type Totals = Pick<DailyUsage, 'sessions' | 'audioMs' | 'billableMs'>;

/** Creates the functions that read usage by day and model. Days without usage are omitted. */
export function createDailyUsage(link: RedisLink, keys: RedisKeys) {
  const readHash = async (key: string) => fields(await link.send(key, ['HGETALL', key]));

  /** Returns the usage of the given days (days since 1970), in the same order. */
  async function readDays(tenant: string, wanted: readonly number[]): Promise<DailyUsage[]> {
    const periods = [...new Set(wanted.map((day) => Math.floor(day / PERIOD_DAYS)))];
    const hashes = await Promise.all(periods.map((period) => readHash(keys.usage(tenant, period))));
    const oldHashes = await Promise.all(wanted.map((day) => readHash(keys.day(tenant, day))));
    const entries = [...hashes.flatMap(readPeriod), ...oldHashes.flatMap((hash, at) => readDay(wanted[at] ?? 0, hash))];
    return wanted.flatMap((day) => sumByModel(entries.filter((entry) => entry.day === day)));
  }

  return {
    /** Returns the usage of the last `days` days, newest day first. */
    dailyUsage(tenant: string, days: number, nowMs: number = Date.now()): Promise<DailyUsage[]> {
      const today = Math.floor(nowMs / DAY_MS);
      return readDays(
        tenant,
        Array.from({ length: days }, (_, back) => today - back),
      );
    },

    /** Returns the usage from one day to another, both included (YYYY-MM-DD), oldest day first. */
    usageBetween(tenant: string, from: string, to: string): Promise<DailyUsage[]> {
      return readDays(tenant, daysBetween(from, to));
    },
  };
}

export type DailyUsageReader = ReturnType<typeof createDailyUsage>;

interface Entry extends Totals {
  /** Days since 1970. */
  day: number;
  model: string;
}

/** Parses the fields `DAY|MODEL` in the hash of a period. */
function readPeriod(hash: Map<string, string>): Entry[] {
  return [...hash].map(([field, value]) => {
    const [day = '', model = ''] = field.split('|');
    return { day: Number(day), model, ...readTotals(value) };
  });
}

/** Parses the value `SESSIONS AUDIO BILLABLE` of a field. */
export function readTotals(value: string): Totals {
  const [sessions = 0, audioMs = 0, billableMs = 0] = value.split(' ').map(Number);
  return { sessions, audioMs, billableMs };
}

/**
 * Parses the hash of a day, which earlier versions wrote with the fields `MODEL|sessions`, `MODEL|audio` and
 * `MODEL|billable`.
 */
function readDay(day: number, hash: Map<string, string>): Entry[] {
  const models = new Set([...hash.keys()].map((field) => field.split('|')[0] ?? ''));
  const number = (field: string) => Number(hash.get(field) ?? 0);
  return [...models].map((model) => ({
    day,
    model,
    sessions: number(`${model}|sessions`),
    audioMs: number(`${model}|audio`),
    billableMs: number(`${model}|billable`),
  }));
}

/** Adds up the entries of one day by model. During an upgrade a model can have entries in both formats. */
function sumByModel(entries: readonly Entry[]): DailyUsage[] {
  const sums = new Map<string, DailyUsage>();
  for (const { day, model, sessions, audioMs, billableMs } of entries) {
    const sum = sums.get(model) ?? { day: dateOf(day), model, sessions: 0, audioMs: 0, billableMs: 0 };
    sum.sessions += sessions;
    sum.audioMs += audioMs;
    sum.billableMs += billableMs;
    sums.set(model, sum);
  }
  return [...sums.values()].sort((a, b) => (a.model < b.model ? -1 : 1));
}

/** Returns the days from one date to another, both included, as days since 1970. */
export function daysBetween(from: string, to: string): number[] {
  const [first, last] = [dayOf(from), dayOf(to)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, after) => first + after);
}

function dayOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS;
}

/** Returns the date (YYYY-MM-DD) of a day since 1970. */
export function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
