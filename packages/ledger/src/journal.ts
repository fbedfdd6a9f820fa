import type { Keys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { fields } from './replies.ts';
import type { JournalEntry } from './types.ts';

/** Reads a tenant's journal, oldest first. */
export function createJournal(link: RedisLink, keys: Keys) {
  return {
    /** One page; `after` is the id of the last entry of the page before. */
    async read(tenant: string, page: { after?: string; count?: number } = {}): Promise<JournalEntry[]> {
      const from = page.after === undefined ? '-' : `(${page.after}`;
      const key = keys.journal(tenant);
      const reply = await link.send(key, ['XRANGE', key, from, '+', 'COUNT', String(page.count ?? 500)]);
      return (reply as [string, string[]][]).map(([id, values]) => entryOf(id, fields(values)));
    },
  };
}

function entryOf(id: string, entry: Map<string, string>): JournalEntry {
  return {
    id,
    type: entry.get('t') as JournalEntry['type'],
    subject: entry.get('s') ?? '',
    granted: Number(entry.get('g')),
    reserved: Number(entry.get('r')),
    consumed: Number(entry.get('c')),
    detail: entry.get('d') ?? '',
  };
}

/** What a journal adds up to: a checkpoint carries totals, every other entry a change. */
export function replay(entries: Iterable<JournalEntry>): { granted: number; reserved: number; consumed: number } {
  let sum = { granted: 0, reserved: 0, consumed: 0 };
  for (const { type, granted, reserved, consumed } of entries) {
    sum =
      type === 'checkpoint'
        ? { granted, reserved, consumed }
        : { granted: sum.granted + granted, reserved: sum.reserved + reserved, consumed: sum.consumed + consumed };
  }
  return sum;
}
