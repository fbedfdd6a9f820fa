import { randomBytes } from 'node:crypto';
import { buildAuditId } from '@svc-asr/ledger';
import type { AuditEntry } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import type { LedgerView } from '../ledger-view.ts';
import type { ConsoleSettings } from '../settings.ts';
import type { PerformedAct } from './entry.ts';

const DAY_MS = 86_400_000;
/** Maximum number of entries that one command writes. */
const BATCH_ENTRIES = 100;
/** Number of entries that a search reads at a time. */
const PAGE_ENTRIES = 1000;
/** Time after a failed write until the entries in the queue are written again. */
const RETRY_MS = 1000;
const RANDOM_BYTES = 6;

export interface AuditDeps {
  ledger: Pick<LedgerView, 'audit'>;
  settings: Pick<ConsoleSettings, 'AUDIT_MAX_ENTRIES' | 'AUDIT_RETENTION_DAYS' | 'AUDIT_QUEUE_ENTRIES'>;
  logger: Logger;
  now: () => number;
}

/** Conditions that the entries of a search must meet. */
export interface AuditFilter {
  readonly tenant?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** Id of the last entry of the previous page. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/**
 * The audit log. Each act appears immediately in the log of the console and is then written to Redis. While Redis is
 * unavailable, up to AUDIT_QUEUE_ENTRIES entries wait in memory. Acts such as the revocation of a key therefore do not
 * depend on Redis.
 */
export class AuditLog {
  readonly #deps: AuditDeps;
  readonly #waiting: AuditEntry[] = [];
  #dropped = 0;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: AuditDeps) {
    this.#deps = deps;
  }

  /** Number of entries that wait for Redis. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Adds an entry for an act. */
  record({ actor, name, action, target, tenant, requestId, detail }: PerformedAct): void {
    const { logger, settings, now } = this.#deps;
    const id = buildAuditId(now(), randomBytes(RANDOM_BYTES).toString('hex'));
    const line = { request_id: requestId, actor, action, resource: target, ...(tenant !== null && { tenant }), detail };
    logger.info(line, 'administrative act');
    this.#waiting.push({ id, actor, actorName: name, action, target, tenant, requestId, detail });
    if (this.#waiting.length > settings.AUDIT_QUEUE_ENTRIES) {
      this.#waiting.shift();
      this.#dropped++;
    }
    void this.write();
  }

  /**
   * Returns the newest entries that meet the conditions, and whether there are older ones. Throws if Redis is
   * unavailable.
   */
  async find({ limit, before, ...wanted }: AuditFilter): Promise<{ entries: AuditEntry[]; hasMore: boolean }> {
    const { ledger, settings, now } = this.#deps;
    await this.write();
    const oldest = buildAuditId(now() - settings.AUDIT_RETENTION_DAYS * DAY_MS, '');
    const found: AuditEntry[] = [];
    for (let last = before; ;) {
      const page = await ledger.audit.read({ before: last, count: PAGE_ENTRIES });
      found.push(...page.filter((entry) => entry.id >= oldest && isWanted(entry, wanted)));
      if (found.length > limit) return { entries: found.slice(0, limit), hasMore: true };
      if (page.length < PAGE_ENTRIES) return { entries: found, hasMore: false };
      last = page.at(-1)?.id;
    }
  }

  /** Writes the waiting entries. Does not throw. After a failure, the entries stay in memory and are written later. */
  write(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
      // An entry that was added after the last batch and before this line has not been written.
      if (this.#waiting.length > 0 && this.#timer === undefined) void this.write();
    });
    return this.#writing;
  }

  /** Tries a last time to write the waiting entries. */
  async close(): Promise<void> {
    await this.write();
    this.#clearTimer();
    const { length } = this.#waiting;
    if (length > 0) this.#deps.logger.error({ amount: length }, 'audit entries are only in the log, not in Redis');
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #writeAll(): Promise<void> {
    const { ledger, settings, logger, now } = this.#deps;
    this.#clearTimer();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH_ENTRIES);
      const oldestMs = now() - settings.AUDIT_RETENTION_DAYS * DAY_MS;
      try {
        await ledger.audit.append(batch, { maxEntries: settings.AUDIT_MAX_ENTRIES, oldestMs });
      } catch (err) {
        logger.debug({ err, amount: this.#waiting.length }, 'audit entries wait until Redis is available');
        this.#timer = setTimeout(() => void this.write(), RETRY_MS).unref();
        return;
      }
      const written = new Set(batch);
      // The queue may have dropped some of these entries during the write.
      while (this.#waiting[0] !== undefined && written.has(this.#waiting[0])) this.#waiting.shift();
    }
    if (this.#dropped > 0) {
      logger.error({ amount: this.#dropped }, 'audit entries are only in the log: too many waited for Redis');
    }
    this.#dropped = 0;
  }
}

function isWanted(entry: AuditEntry, { tenant, actor, action }: Omit<AuditFilter, 'limit' | 'before'>): boolean {
  return (
    (tenant === undefined || entry.tenant === tenant) &&
    (actor === undefined || entry.actor === actor) &&
    (action === undefined || entry.action === action)
  );
}
