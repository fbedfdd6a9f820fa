import { withoutTenant } from '../audit.ts';
import type { RedisLink } from '../redis/link.ts';
import type { RebuildPlan } from '../types.ts';

/** Kinds of keys and entries that Redis may contain for a tenant. */
export const TRACE_KINDS = [
  'account_keys',
  'key_records',
  'gateway_records',
  'reaper_marks',
  'queue_entries',
  'registry_entries',
  'list_entries',
  'rebuild_plans',
  'audit_entries',
] as const;

export type TraceKind = (typeof TRACE_KINDS)[number];

/** A key of a tenant in Redis, or an entry for the tenant in another key. */
export interface Trace {
  kind: TraceKind;
  key: string;
  /** Member of the key that belongs to the tenant. Absent if the whole key belongs to the tenant. */
  member?: string;
  /** Commands that remove the key or entry, or replace it. Empty if a purge leaves the removal to another process. */
  removal: readonly (readonly string[])[];
}

/**
 * Finds the data of a tenant in the Redis key `key`. `part` is the text that matched the capture group of the key's
 * pattern in FAMILIES.
 */
type Find = (link: RedisLink, tenant: string, key: string, part: string) => Promise<Trace[]>;

const NOTHING: readonly Trace[] = [];

/**
 * Families of keys, by a pattern of their names without the prefix. If a family has no function, a purge does not
 * search its keys.
 */
const FAMILIES: readonly (readonly [pattern: RegExp, find?: Find])[] = [
  [/^\{t:([^}]*)\}:/, ownKey('account_keys')],
  [/^\{k:[^}]*\}:k$/, findKeyRecord],
  [/^\{g:[^}]*\}:s$/, members('gateway_records', ['SMEMBERS'], undefined, (record) => record.split(' ')[1])],
  [/^\{d:[^}]*\}:due$/, members('reaper_marks', ['ZRANGE', '0', '-1'], 'ZREM', (mark) => mark.split(':')[1])],
  [/^\{m:[^}]*\}:q[hl]?$/, findQueuedTenant],
  [/^\{m:[^}]*\}:q[hl]?:(.*)$/, findQueue],
  [/^\{o\}:registry:Tenant$/, members('registry_entries', ['HKEYS'], 'HDEL', (name) => name)],
  [/^\{o\}:tenants$/, members('list_entries', ['SMEMBERS'], 'SREM', (name) => name)],
  [/^\{o\}:ledger:plan$/, findPlan],
  [/^\{o\}:audit$/, findAuditEntries],
  // These keys name no tenant. They contain ids and names of models, sessions, workers, gateways and API keys, and data
  // of the whole installation.
  [/^\{m:[^}]*\}:(?!q[hl]?$|q[hl]?:)/],
  [/^\{g:[^}]*\}:[cx]$/],
  [
    /^\{o\}:(admin-sessions:ended$|gateways|catalogue|ledger$|ledger:rebuild$|ledger:schema$|registry:ApiKey$|registry:ASRModel$)/,
  ],
  // Sessions of users of the console. They name no tenant and expire within hours.
  [/^\{c:[^}]*\}:s$/],
  // A request for a purge names the tenant. It is deleted after its answer was read, or expires.
  [/^\{o\}:purge$/],
];

/** Returns the family of a key, given its name without the prefix. Undefined if it is unknown. */
export function findFamily(name: string): readonly [pattern: RegExp, find?: Find] | undefined {
  return FAMILIES.find(([pattern]) => pattern.test(name));
}

/** Returns the data of a tenant in a key. `start` is the prefix of the ledger with its colon. */
export async function findTraces(
  link: RedisLink,
  tenant: string,
  key: string,
  start: string,
): Promise<readonly Trace[]> {
  const name = key.slice(start.length);
  const [pattern, find] = findFamily(name) ?? [];
  if (pattern === undefined || find === undefined) return NOTHING;
  return find(link, tenant, key, pattern.exec(name)?.[1] ?? '');
}

function ownKey(kind: TraceKind): Find {
  return (_link, tenant, key, owner) =>
    Promise.resolve(owner === tenant ? [{ kind, key, removal: [['DEL', key]] }] : []);
}

/**
 * Creates a function that finds the members of a collection that belong to the tenant. If `remove` is omitted, a purge
 * counts them but leaves their removal to the process that wrote them.
 */
function members(
  kind: TraceKind,
  read: readonly string[],
  remove: string | undefined,
  ownerOf: (member: string) => string | undefined,
): Find {
  const [command = '', ...range] = read;
  return async (link, tenant, key) => {
    const all = (await link.send(key, [command, key, ...range])) as string[];
    const own = all.filter((member) => ownerOf(member) === tenant);
    return own.map((member) => ({ kind, key, member, removal: remove === undefined ? [] : [[remove, key, member]] }));
  };
}

async function findKeyRecord(link: RedisLink, tenant: string, key: string): Promise<Trace[]> {
  const owner = await link.send(key, ['HGET', key, 'tenant']);
  return owner === tenant ? [{ kind: 'key_records', key, removal: [['DEL', key]] }] : [];
}

async function findQueuedTenant(link: RedisLink, tenant: string, key: string): Promise<Trace[]> {
  const tenants = (await link.send(key, ['LRANGE', key, '0', '-1'])) as string[];
  return tenants.includes(tenant) ? [{ kind: 'queue_entries', key, removal: [['LREM', key, '0', tenant]] }] : [];
}

async function findQueue(link: RedisLink, tenant: string, key: string, owner: string): Promise<Trace[]> {
  if (owner !== tenant) return [];
  const sessions = (await link.send(key, ['LRANGE', key, '0', '-1'])) as string[];
  const [requestTimes, requests] = ['qs', 'qi'].map((name) => key.replace(/q[hl]?:[^:]*$/, name)) as [string, string];
  const entries = sessions.flatMap((session) => [
    ['ZREM', requestTimes, session],
    ['HDEL', requests, session],
  ]);
  const removal = [...entries, ['DEL', key]];
  return [{ kind: 'queue_entries', key, removal }];
}

async function findPlan(link: RedisLink, tenant: string, key: string): Promise<Trace[]> {
  const text = (await link.send(key, ['GET', key])) as string | null;
  const plan = text === null ? undefined : (JSON.parse(text) as RebuildPlan);
  const isListed = plan?.tenants.some((entry) => entry.tenant === tenant) === true;
  return isListed ? [{ kind: 'rebuild_plans', key, removal: [['DEL', key]] }] : [];
}

const AUDIT_PAGE = 1000;

/** Finds the audit entries of the tenant. The removal replaces each by an entry that does not name the tenant. */
async function findAuditEntries(link: RedisLink, tenant: string, key: string): Promise<Trace[]> {
  const found: Trace[] = [];
  for (let first = '-'; ;) {
    const page = (await link.send(key, [
      'ZRANGE',
      key,
      first,
      '+',
      'BYLEX',
      'LIMIT',
      '0',
      String(AUDIT_PAGE),
    ])) as string[];
    for (const member of page) {
      const replacement = withoutTenant(member, tenant);
      if (replacement === undefined) continue;
      const removal = [
        ['ZADD', key, '0', replacement],
        ['ZREM', key, member],
      ];
      found.push({ kind: 'audit_entries', key, member, removal });
    }
    const last = page.at(-1);
    if (last === undefined || page.length < AUDIT_PAGE) return found;
    first = `(${last}`;
  }
}
