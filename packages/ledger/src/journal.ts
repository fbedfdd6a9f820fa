import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import type { JournalEntry } from './types.ts';

/** Reads the journal of a tenant, oldest entry first. */
export function createJournal(link: RedisLink, keys: RedisKeys) {
  return {
    /** Returns one page. `after` is the id of the last entry of the page before. */
    async read(tenant: string, page: { after?: string; count?: number } = {}): Promise<JournalEntry[]> {
      const from = page.after === undefined ? '-' : `(${page.after}`;
      const key = keys.journal(tenant);
      const reply = await link.send(key, ['XRANGE', key, from, '+', 'COUNT', String(page.count ?? 500)]);
      return (reply as [string, string[]][]).map(([id, values]) => entryOf(id, values[1] ?? ''));
    },
  };
}

/** Parses `KIND SUBJECT GRANTED RESERVED CONSUMED DETAIL…`, the format of include/journal.lua. */
function entryOf(id: string, line: string): JournalEntry {
  const [type, subject = '', granted, reserved, consumed, ...detail] = line.split(' ');
  return {
    id,
    type: type as JournalEntry['type'],
    subject: subject === '-' ? '' : subject,
    granted: Number(granted),
    reserved: Number(reserved),
    consumed: Number(consumed),
    detail: detail.join(' '),
  };
}

/** Returns the totals of a journal. A checkpoint contains totals, every other entry a change. */
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
