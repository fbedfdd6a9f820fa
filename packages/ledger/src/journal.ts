import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { fields, numbers } from './replies.ts';
import { loadScript } from './scripts.ts';
import type { JournalEntry } from './types.ts';

const TRIM = loadScript('trim_journal');

/** Result of one trim. */
export interface Trimmed {
  /** Number of entries that were removed from Redis. */
  left: number;
  /** Number of entries that are still in Redis. */
  retained: number;
}

/** Creates the functions that read and trim the journals of tenants. */
export function createJournal(link: RedisLink, keys: RedisKeys) {
  /**
   * Returns the id of the last entry that was removed from Redis and the totals after it, as include/journal.lua stores
   * them.
   */
  async function readFolded(tenant: string): Promise<string | undefined> {
    const account = keys.account(tenant);
    return ((await link.send(account, ['HGET', account, 'jb'])) as string | null) ?? undefined;
  }

  return {
    /**
     * Returns one page of entries, oldest first. `after` is the id of the last entry of the previous page. If entries
     * of this page have been removed from Redis, the page starts with a checkpoint: the totals of all entries removed
     * so far.
     */
    async read(tenant: string, page: { after?: string; count?: number } = {}): Promise<JournalEntry[]> {
      const { after, count = 500 } = page;
      const key = keys.journal(tenant);
      const from = after === undefined ? '-' : `(${after}`;
      for (;;) {
        const before = await readFolded(tenant);
        const reply = await link.send(key, ['XRANGE', key, from, '+', 'COUNT', String(count)]);
        // An entry that was folded into the checkpoint between the first two reads would be missing from both results.
        if ((await readFolded(tenant)) !== before) continue;
        const entries = (reply as [string, string[]][]).map(([id, values]) => entryOf(id, values[1] ?? ''));
        const checkpoint = before === undefined ? undefined : checkpointOf(before);
        const isMissing = checkpoint !== undefined && (after === undefined || isBefore(after, checkpoint.id));
        return isMissing ? [checkpoint, ...entries] : entries;
      }
    },

    /** Returns all tenants that ever had an account, except those that `forget` has removed. */
    async tenants(): Promise<string[]> {
      return (await link.send(keys.tenants(), ['SMEMBERS', keys.tenants()])) as string[];
    },

    /** Removes a tenant that has no account from the list of tenants. */
    async forget(tenant: string): Promise<void> {
      await link.send(keys.tenants(), ['SREM', keys.tenants(), tenant]);
    },

    /**
     * Returns the number of entries in Redis and the id of the last entry that was ever written. Undefined if there is
     * no journal.
     */
    async status(tenant: string): Promise<{ length: number; lastId: string } | undefined> {
      const key = keys.journal(tenant);
      try {
        const info = fields(await link.send(key, ['XINFO', 'STREAM', key]));
        return { length: Number(info.get('length')), lastId: String(info.get('last-generated-id')) };
      } catch (error) {
        if (error instanceof Error && error.message.includes('no such key')) return undefined;
        throw error;
      }
    },

    /** Returns the id of the last exported entry. Undefined if there is none, or if the last trim had no exporter. */
    async exported(tenant: string): Promise<string | undefined> {
      const account = keys.account(tenant);
      return ((await link.send(account, ['HGET', account, 'jx'])) as string | null) ?? undefined;
    },

    /**
     * Removes up to 1,000 entries that are older than `ageMs` from Redis. `exported` is the id of the last exported
     * entry. If it is given, later entries are kept. The totals of removed entries are always kept. Returns undefined
     * if there is no account.
     */
    async trim(tenant: string, exported: string | undefined, ageMs: number): Promise<Trimmed | undefined> {
      const [left = -1, retained = 0] = numbers(await link.run(TRIM, keys.account(tenant), [exported ?? '', ageMs]));
      return left === -1 ? undefined : { left, retained };
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

/** Parses `ID GRANTED RESERVED CONSUMED`, the totals of removed entries. */
function checkpointOf(folded: string): JournalEntry {
  const [id = '', ...totals] = folded.split(' ');
  return entryOf(id, `checkpoint - ${totals.join(' ')} `);
}

/** Returns whether the id of one stream entry is lower than that of another. */
function isBefore(one: string, other: string): boolean {
  const [oneMs = 0, oneCount = 0] = one.split('-').map(Number);
  const [otherMs = 0, otherCount = 0] = other.split('-').map(Number);
  return oneMs === otherMs ? oneCount < otherCount : oneMs < otherMs;
}

/** Returns the totals of a journal. A checkpoint contains totals, and every other entry contains changes. */
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
