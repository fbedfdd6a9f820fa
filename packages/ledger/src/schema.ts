import { createRedisKeys } from './keys.ts';
import type { RedisKeys } from './keys.ts';
import { fields } from './replies.ts';
import { LedgerUnavailable } from './redis/link.ts';
import type { RedisLink } from './redis/link.ts';

/**
 * Version of the records in Redis (docs/redis.md). Increase it with each change that programs of other versions can
 * notice.
 */
export const SCHEMA_VERSION = 2;

/**
 * Oldest version whose programs can use the records of this version. It is normally the previous version, so that
 * programs of both versions can run during an upgrade. Set it to SCHEMA_VERSION only for an incompatible change.
 */
const OLDEST_VERSION = 2;

/** Time after which the stored schema version is read again while it does not match this program. */
const RECHECK_MS = 1000;

/** Schema version of the records in the form that the operator stores. */
export interface Schema {
  version: number;
  /** Oldest schema version whose programs can use the records. */
  oldest: number;
}

/** Version of a ledger without a stored version. Its records were written before versions were stored. */
const FIRST: Schema = { version: 1, oldest: 1 };

/** Thrown by every command if the records in Redis are too old or too new for this program. */
export class SchemaMismatch extends LedgerUnavailable {}

/** Creates access to the schema version that is stored in Redis. */
export function createSchema(link: RedisLink, keys: RedisKeys) {
  const key = keys.schema();
  /** Reads the stored schema version. Undefined if none was stored yet. */
  async function read(): Promise<Schema | undefined> {
    const stored = fields(await link.send(key, ['HGETALL', key]));
    if (stored.size === 0) return undefined;
    return { version: Number(stored.get('version')), oldest: Number(stored.get('oldest')) };
  }

  return {
    read,

    /**
     * Stores the version of this program, unless a later one is stored. The operator calls this function after it has
     * checked that it may write to this Redis. Older records remain, and scripts read them too.
     */
    async stamp(): Promise<void> {
      const stored = await read();
      if (stored !== undefined && stored.version > SCHEMA_VERSION) return;
      await link.send(key, ['HSET', key, 'version', String(SCHEMA_VERSION), 'oldest', String(OLDEST_VERSION)]);
    },
  };
}

/** Returns the reason why a program of version `own` cannot use records of version `stored`. Undefined if it can. */
export function findMismatch(stored: Schema, own: number): string | undefined {
  const found = `The records in Redis have the schema version ${stored.version}`;
  const before = own - 1;
  if (stored.oldest > own) {
    return (
      `${found}, which programs before version ${stored.oldest} cannot use. This program has version ${own}. ` +
      `Install the release that wrote the records, or restore a backup from before its installation`
    );
  }
  if (stored.version < before) {
    return (
      `${found}. This program uses version ${own} and can start with ${before} or ${own}. ` +
      `Install a release with the schema version ${stored.version + 1} first, and wait until its operator is ready`
    );
  }
  return undefined;
}

export interface SchemaRequirement {
  /** Prefix of the keys of the ledger. */
  prefix: string;
  logger: { error: (message: string) => void };
  /** Schema version of the program. SCHEMA_VERSION if omitted. */
  version?: number;
}

/**
 * Returns a link that reads the stored schema version before its first command. While the version does not match, every
 * command throws SchemaMismatch and nothing else is sent. The reason is logged once.
 */
export function requireSchema(link: RedisLink, requirement: SchemaRequirement): RedisLink {
  const { prefix, logger, version = SCHEMA_VERSION } = requirement;
  const keys = createRedisKeys(prefix);
  const schema = createSchema(link, keys);
  let matches = false;
  let mismatch: { reason: string; atMs: number } | undefined;
  let running: Promise<void> | undefined;

  async function readIfAllowed(): Promise<Schema | undefined> {
    try {
      return await schema.read();
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOPERM')) throw error;
      // The user has no right to read the version. The rights of Redis users may be updated later than the services.
      logger.error(`The schema version in Redis is unknown: allow the Redis user to read ${keys.schema()}`);
      return { version, oldest: version };
    }
  }

  async function find(): Promise<string | undefined> {
    const stored = await readIfAllowed();
    if (stored !== undefined) return findMismatch(stored, version);
    const hasLedger = (await link.send(keys.ledgerId(), ['GET', keys.ledgerId()])) !== null;
    return hasLedger ? findMismatch(FIRST, version) : undefined;
  }

  async function check(): Promise<void> {
    if (mismatch === undefined || performance.now() - mismatch.atMs >= RECHECK_MS) {
      const reason = await find();
      if (reason !== undefined && reason !== mismatch?.reason) logger.error(reason);
      mismatch = reason === undefined ? undefined : { reason, atMs: performance.now() };
    }
    if (mismatch !== undefined) throw new SchemaMismatch(mismatch.reason);
    matches = true;
  }
  const ensure = () => (running ??= check().finally(() => (running = undefined)));

  return {
    get ready() {
      return link.ready;
    },
    run: (script, key, args) =>
      matches ? link.run(script, key, args) : ensure().then(() => link.run(script, key, args)),
    send: (key, command) => (matches ? link.send(key, command) : ensure().then(() => link.send(key, command))),
    nodes: () => (matches ? link.nodes() : ensure().then(() => link.nodes())),
    close: link.close,
  };
}
