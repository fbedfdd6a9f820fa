import { dateOf, daysBetween, readTotals } from './daily-usage.ts';
import type { DailyUsageReader } from './daily-usage.ts';
import type { RedisKeys } from './keys.ts';
import { PLAYGROUND_KEY } from './origin.ts';
import type { RedisLink } from './redis/link.ts';
import { fields } from './replies.ts';
import type { DailyUsage, KeyUsage } from './types.ts';

/** Must equal KEY_USAGE_PERIOD_DAYS in scripts/include/daily_usage.lua. */
const PERIOD_DAYS = 8;

/** Creates the function that reads usage by day, model and key. */
export function createKeyUsage(link: RedisLink, keys: RedisKeys, daily: DailyUsageReader) {
  /** Returns the usage by API key in all periods that contain the given days, grouped by `DATE MODEL`. */
  async function readKeys(tenant: string, days: readonly number[]): Promise<Map<string, KeyUsage[]>> {
    const periods = [...new Set(days.map((day) => Math.floor(day / PERIOD_DAYS)))];
    const rows = await Promise.all(
      periods.map(async (period) => {
        const key = keys.keyUsage(tenant, period);
        return readPeriod(period * PERIOD_DAYS, fields(await link.send(key, ['HGETALL', key])));
      }),
    );
    const byDay = new Map<string, KeyUsage[]>();
    for (const row of rows.flat()) {
      const name = `${row.day} ${row.model}`;
      byDay.set(name, [...(byDay.get(name) ?? []), row]);
    }
    return byDay;
  }

  return {
    /**
     * Returns the usage from one day to another by model and key, both days included (YYYY-MM-DD), newest day first.
     * The rows of a day and model add up to the usage by model. Sessions whose key was not recorded are in a row
     * without a key.
     */
    async usageByKey(tenant: string, from: string, to: string): Promise<KeyUsage[]> {
      const [totals, byKey] = await Promise.all([
        daily.usageBetween(tenant, from, to),
        readKeys(tenant, daysBetween(from, to)),
      ]);
      const rows = totals.flatMap((total) => divide(total, byKey.get(`${total.day} ${total.model}`) ?? []));
      // Rows of the same day keep their order.
      return rows.sort((a, b) => (a.day === b.day ? 0 : b.day < a.day ? -1 : 1));
    },
  };
}

/** Parses the fields `DAY|KEY|MODEL` in the hash of a period that starts with the day `first`. */
function readPeriod(first: number, hash: Map<string, string>): KeyUsage[] {
  return [...hash].map(([field, value]): KeyUsage => {
    const [day = '', key = '', model = ''] = field.split('|');
    const isPlayground = key === PLAYGROUND_KEY;
    return {
      day: dateOf(first + Number(day)),
      model,
      keyId: isPlayground ? null : key,
      source: isPlayground ? 'playground' : 'api',
      ...readTotals(value),
    };
  });
}

/** Returns the rows of the keys of one day and model. The last row has the rest of the total, if there is one. */
function divide(total: DailyUsage, rows: readonly KeyUsage[]): KeyUsage[] {
  const rest: KeyUsage = { ...total, keyId: null, source: 'api' };
  for (const { sessions, audioMs, billableMs } of rows) {
    rest.sessions -= sessions;
    rest.audioMs -= audioMs;
    rest.billableMs -= billableMs;
  }
  const sorted = rows.toSorted((a, b) => ((a.keyId ?? '') < (b.keyId ?? '') ? -1 : 1));
  return rest.sessions > 0 ? [...sorted, rest] : sorted;
}
