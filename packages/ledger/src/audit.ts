import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import type { AuditEntry } from './types.ts';

/** Limits of the audit log. */
export interface AuditLimits {
  maxEntries: number;
  /** Entries of acts before this time are removed. */
  oldestMs: number;
}

/**
 * Creates access to the audit log of administrative acts. It is a sorted set whose members start with the id of their
 * entry. All scores are 0, so that the set is sorted by id and therefore by time. Adding the same entry again changes
 * nothing.
 */
export function createAudit(link: RedisLink, keys: RedisKeys) {
  const key = keys.audit();
  return {
    /** Adds entries, and removes entries that exceed the limits. Safe to repeat. */
    async append(entries: readonly AuditEntry[], { maxEntries, oldestMs }: AuditLimits): Promise<void> {
      if (entries.length > 0)
        await link.send(key, ['ZADD', key, ...entries.flatMap((entry) => ['0', memberOf(entry)])]);
      await link.send(key, ['ZREMRANGEBYLEX', key, '-', `(${idTime(oldestMs)}`]);
      await link.send(key, ['ZREMRANGEBYRANK', key, '0', String(-maxEntries - 1)]);
    },

    /** Returns at most `count` entries, newest first. `before` is the id of the last entry of the previous page. */
    async read({ before, count }: { before?: string | undefined; count: number }): Promise<AuditEntry[]> {
      const last = before === undefined ? '+' : `(${before}`;
      const reply = await link.send(key, ['ZRANGE', key, last, '-', 'BYLEX', 'REV', 'LIMIT', '0', String(count)]);
      return (reply as string[]).map(entryOf);
    },
  };
}

/** Number of digits of the time in an id. It is fixed, so that ids sort by time. */
const TIME_DIGITS = 15;

/** Builds the id of an entry: the time of the act, and a random part that distinguishes entries of the same time. */
export function buildAuditId(atMs: number, random: string): string {
  return `${idTime(atMs)}-${random}`;
}

/** Returns the time of the administrative act that an entry records. */
export function auditTimeOf({ id }: Pick<AuditEntry, 'id'>): number {
  return Number(id.slice(0, TIME_DIGITS));
}

/** Actor that replaces every developer in the entries of a purged tenant. */
const SOME_DEVELOPER = 'developer';

/**
 * Returns the set member of an audit entry, without the data that identifies the tenant. Undefined if the entry is not
 * about this tenant.
 */
export function withoutTenant(member: string, tenant: string): string | undefined {
  const entry = entryOf(member);
  if (entry.tenant !== tenant) return undefined;
  const isDeveloper = entry.actor.startsWith(SOME_DEVELOPER);
  return memberOf({
    id: entry.id,
    actor: isDeveloper ? SOME_DEVELOPER : entry.actor,
    actorName: isDeveloper ? null : entry.actorName,
    action: entry.action,
    target: 'purged',
    tenant: null,
    requestId: entry.requestId,
    detail: {},
  });
}

function memberOf(entry: AuditEntry): string {
  return `${entry.id} ${JSON.stringify(entry)}`;
}

function entryOf(member: string): AuditEntry {
  return JSON.parse(member.slice(member.indexOf(' ') + 1)) as AuditEntry;
}

function idTime(atMs: number): string {
  return String(Math.max(0, Math.floor(atMs))).padStart(TIME_DIGITS, '0');
}
