import type { UsageRow } from '../../../src/responses.ts';

/** Number of groups that keep their own colour when the remaining smaller groups are added up. */
export const MAX_GROUPS = 5;
const DAY_MS = 86_400_000;

/** Usage of a model or of a key. */
export interface UsageGroup {
  /**
   * Id of the model or the key. For sessions without a key, the result of sourceId(). Undefined for the sum of small
   * groups.
   */
  readonly id: string | undefined;
  readonly sessions: number;
  readonly audioMs: number;
  readonly billableMs: number;
  /** Charged audio of each day. */
  readonly dailyMs: readonly number[];
}

/** Returns the id of the group of sessions without a key. It is never the id of a key, which has no colon. */
export function sourceId(source: UsageRow['source']): string {
  return `source:${source}`;
}

/** Returns the days from `from` to `to`, including these two. */
export function daysBetween(from: string, to: string): string[] {
  const firstMs = Date.parse(`${from}T00:00:00Z`);
  const count = Math.round((Date.parse(`${to}T00:00:00Z`) - firstMs) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => dayOf(firstMs + index * DAY_MS));
}

/** Returns the day of a time in UTC, as YYYY-MM-DD. */
export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** Adds up usage by model or by key. Returns the groups, the largest first. */
export function groupUsage(rows: readonly UsageRow[], by: 'model' | 'key', days: readonly string[]): UsageGroup[] {
  const indexes = new Map(days.map((day, index) => [day, index]));
  const groups = new Map<string, UsageGroup>();
  for (const row of rows) {
    const index = indexes.get(row.day);
    if (index === undefined) continue;
    const id = by === 'model' ? row.model : (row.key_id ?? sourceId(row.source));
    const group = groups.get(id) ?? { id, sessions: 0, audioMs: 0, billableMs: 0, dailyMs: days.map(() => 0) };
    const daily = group.dailyMs.with(index, (group.dailyMs[index] ?? 0) + row.billable_ms);
    groups.set(
      id,
      add(group, { id, sessions: row.sessions, audioMs: row.audio_ms, billableMs: row.billable_ms, dailyMs: daily }),
    );
  }
  return [...groups.values()].sort((a, b) => b.billableMs - a.billableMs);
}

/**
 * Adds the totals of `row` to a group. The caller has already added up the daily values in `row`, so they replace those
 * of the group.
 */
function add(group: UsageGroup, row: UsageGroup): UsageGroup {
  return {
    id: group.id,
    sessions: group.sessions + row.sessions,
    audioMs: group.audioMs + row.audioMs,
    billableMs: group.billableMs + row.billableMs,
    dailyMs: row.dailyMs,
  };
}

/**
 * Keeps the largest groups and adds up the others, so that a chart stays readable. If only one group would be left to
 * add up, this group is kept too.
 */
export function limitGroups(groups: readonly UsageGroup[]): UsageGroup[] {
  if (groups.length <= MAX_GROUPS + 1) return [...groups];
  const others = groups.slice(MAX_GROUPS);
  const [first, ...further] = others;
  if (first === undefined) return [...groups];
  const sum = further.reduce(
    (total, group) => add(total, { ...group, dailyMs: total.dailyMs.map((ms, at) => ms + (group.dailyMs[at] ?? 0)) }),
    first,
  );
  return [...groups.slice(0, MAX_GROUPS), { ...sum, id: undefined }];
}
