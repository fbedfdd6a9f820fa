import type { UsageRow } from '../../../src/responses.ts';
import { daysBetween, groupUsage, limitGroups, MAX_GROUPS, sourceId } from './group.ts';

const row = (day: string, model: string, seconds: number, keyId: string | null = null): UsageRow => ({
  day,
  model,
  key_id: keyId,
  source: keyId === null ? 'playground' : 'api',
  sessions: 1,
  audio_ms: seconds * 1000 - 1,
  billable_ms: seconds * 1000,
});

test('daysBetween returns all days from the first to the last, both included, across the end of a month', () => {
  expect(daysBetween('2026-02-27', '2026-03-02')).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02']);
  expect(daysBetween('2026-03-02', '2026-03-01')).toEqual([]);
});

test('groupUsage adds up the usage of each model and day, with the most used model first, and ignores days outside of the range', () => {
  const rows = [
    row('2026-01-01', 'a', 1),
    row('2026-01-02', 'b', 5),
    row('2026-01-01', 'a', 2, 'k'),
    row('2025-12-31', 'a', 9),
  ];
  expect(groupUsage(rows, 'model', ['2026-01-01', '2026-01-02'])).toEqual([
    { id: 'b', sessions: 1, audioMs: 4999, billableMs: 5000, dailyMs: [0, 5000] },
    { id: 'a', sessions: 2, audioMs: 2998, billableMs: 3000, dailyMs: [3000, 0] },
  ]);
});

test('groupUsage by key puts sessions without a key into a group of their own', () => {
  const rows = [row('2026-01-01', 'a', 1, 'k'), row('2026-01-01', 'a', 2)];
  expect(groupUsage(rows, 'key', ['2026-01-01']).map(({ id }) => id)).toEqual([sourceId('playground'), 'k']);
});

test('limitGroups keeps MAX_GROUPS groups and adds up the remaining groups if at least two groups remain', () => {
  const models = Array.from({ length: MAX_GROUPS + 2 }, (_, index) => `m${index}`);
  const rows = models.map((model, index) => row('2026-01-01', model, 100 - index));
  const groups = groupUsage(rows, 'model', ['2026-01-01']);
  expect(limitGroups(groups.slice(0, -1))).toHaveLength(MAX_GROUPS + 1);
  const limited = limitGroups(groups);
  expect(limited.map(({ id }) => id)).toEqual([...models.slice(0, MAX_GROUPS), undefined]);
  expect(limited.at(-1)).toMatchObject({ sessions: 2, billableMs: 189_000, dailyMs: [189_000] });
});
