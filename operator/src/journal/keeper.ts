import { LedgerUnavailable } from '@svc-asr/ledger';
import type { JournalEntry, Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { Passes } from '../passes.ts';
import { buildLine } from './line.ts';
import type { JournalFiles } from './files.ts';

/** Number of tenants whose entries are written together, so that one flush to disk is enough for all of them. */
const TENANTS_AT_ONCE = 64;
const PAGE_ENTRIES = 500;
/** Lowest possible entry id, which no entry has. */
const NONE = '0-0';

export interface JournalKeeperOptions {
  journal: Ledger['journal'];
  /** Undefined if the journal is not exported. */
  files: JournalFiles | undefined;
  /**
   * Age at which the keeper removes an entry from Redis. If the journal is exported, the keeper does not remove an
   * entry before its export.
   */
  retentionMs: number;
  /** Maximum number of entries of a tenant in Redis while an exporter is configured. */
  backlogEntries: number;
  intervalMs: number;
  logger: Logger;
  /** Milliseconds of a monotonic clock. */
  nowMs: () => number;
}

/**
 * State of the journals. The last pass has counted the entries of each tenant just before it exported and trimmed them.
 */
export interface JournalReadings {
  /** Number of entries of all tenants in Redis. */
  entries: number;
  /**
   * Number of unexported entries of the tenant with the most unexported entries, divided by `backlogEntries`. Undefined
   * if the journal is not exported.
   */
  backlogRatio: number | undefined;
  /**
   * Seconds since a pass last exported all new entries, or since the start if no pass has done so. Undefined if the
   * journal is not exported.
   */
  exportAgeSeconds: number | undefined;
}

interface Totals {
  /** Number of entries of all tenants in Redis. */
  entries: number;
  /** Number of unexported entries of the tenant with the most unexported entries. */
  backlog: number;
}

/**
 * Data that the keeper stores about a tenant. With this data, a pass needs only one Redis command for a tenant whose
 * entries were all exported and removed.
 */
interface Seen {
  /** Id of the last exported entry. Undefined if the journal is not exported. */
  lastId: string | undefined;
  /** Number of entries that the last trim left in Redis. */
  retained: number;
}

/**
 * Keeps journals in Redis short: it exports new entries, acknowledges them, and removes entries that are older than
 * `retentionMs`. An entry is acknowledged only after its line is on disk. If the process crashes between these two
 * steps, the entry is exported again.
 */
export class JournalKeeper {
  readonly #options: JournalKeeperOptions;
  readonly #seen = new Map<string, Seen>();
  readonly #startedAtMs: number;
  #exportedAtMs: number | undefined;
  #totals: Totals = { entries: 0, backlog: 0 };
  /** Log level at which the failure of the last pass was logged. Undefined if the last pass succeeded. */
  #failureLevel: 'warn' | 'error' | undefined;
  #hasRun = false;
  readonly #passes = new Passes(() => this.#keep());
  /** Settles when the last work that uses the files has ended. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: JournalKeeperOptions) {
    this.#options = options;
    this.#startedAtMs = options.nowMs();
  }

  start(): void {
    this.#passes.start();
  }

  /** Resolves when the current pass has ended. */
  stop(): Promise<void> {
    return this.#passes.stop();
  }

  /** Returns the values for metrics, or undefined until the first pass after `start` has ended. */
  readings(): JournalReadings | undefined {
    if (!this.#hasRun) return undefined;
    const { files, backlogEntries, nowMs } = this.#options;
    const isExported = files !== undefined;
    const exportAgeMs = nowMs() - (this.#exportedAtMs ?? this.#startedAtMs);
    return {
      entries: this.#totals.entries,
      backlogRatio: isExported ? this.#totals.backlog / backlogEntries : undefined,
      exportAgeSeconds: isExported ? exportAgeMs / 1000 : undefined,
    };
  }

  /** Runs work between two passes, so that no pass appends to the files during the work. */
  runBetweenPasses<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /**
   * Exports and trims the journal of every tenant once. A Redis error for one tenant does not stop the pass for other
   * tenants. A failed write of the files ends the pass.
   */
  async runPass(): Promise<void> {
    const { journal, files, nowMs } = this.#options;
    const tenants = await journal.tenants();
    const totals: Totals = { entries: 0, backlog: 0 };
    const failures: unknown[] = [];
    try {
      for (let at = 0; at < tenants.length && !this.#passes.isStopped(); at += TENANTS_AT_ONCE) {
        const some = tenants.slice(at, at + TENANTS_AT_ONCE);
        const work = await forEachOf(some, failures, (tenant) => this.#findWork(tenant, totals));
        let busy = work.flatMap((tenant) => tenant ?? []);
        if (files === undefined) await forEachOf(busy, failures, (tenant) => this.#trim(tenant, undefined));
        else while (busy.length > 0 && !this.#passes.isStopped()) busy = await this.#exportPages(busy, files, failures);
      }
    } finally {
      this.#totals = totals;
    }
    if (failures.length > 0) {
      // An outage of Redis must not hide another failure, so the error quotes an outage only if there is no other
      // failure.
      const cause = failures.find((failure) => !(failure instanceof LedgerUnavailable)) ?? failures[0];
      throw new Error(`the journals of ${failures.length} tenants failed; one error: ${String(cause)}`, { cause });
    }
    this.#exportedAtMs = nowMs();
  }

  async #keep(): Promise<number> {
    const { intervalMs, logger } = this.#options;
    try {
      await this.runBetweenPasses(() => this.runPass());
      if (this.#failureLevel !== undefined) logger.info('the journal is exported again');
      this.#failureLevel = undefined;
    } catch (err) {
      const level = isOutage(err) ? 'warn' : 'error';
      if (level !== this.#failureLevel)
        logger[level]({ err }, 'the journal could not be exported or trimmed; entries stay in Redis');
      this.#failureLevel = level;
    }
    this.#hasRun = true;
    return intervalMs;
  }

  /** Returns the tenant if it may have entries to export or to trim, and adds its entries to the totals of the pass. */
  async #findWork(tenant: string, totals: Totals): Promise<string | undefined> {
    const status = await this.#options.journal.status(tenant);
    const { lastId, retained = 0 } = this.#seen.get(tenant) ?? {};
    totals.entries += status?.length ?? 0;
    if (status === undefined) return tenant;
    if (lastId !== status.lastId) totals.backlog = Math.max(totals.backlog, status.length - retained);
    return lastId !== status.lastId || status.length > 0 ? tenant : undefined;
  }

  /** Exports one page of each tenant. Returns the tenants that may have further pages. */
  async #exportPages(tenants: readonly string[], files: JournalFiles, failures: unknown[]): Promise<string[]> {
    const pages = await forEachOf(tenants, failures, (tenant) => this.#readPage(tenant));
    const lines = pages.flatMap(({ tenant, page }) => page.map((entry) => lineOf(tenant, entry)));
    if (lines.length > 0) await files.append(lines);
    const trimmed = await forEachOf(pages, failures, async (page) => {
      await this.#trim(page.tenant, page.last ?? NONE);
      return page;
    });
    return trimmed.filter(({ page }) => page.length >= PAGE_ENTRIES).map(({ tenant }) => tenant);
  }

  /**
   * Reads the next page of entries that are not exported. `last` is the id of the entry that is the last exported one
   * once the page is written to the files.
   */
  async #readPage(tenant: string): Promise<{ tenant: string; page: JournalEntry[]; last: string | undefined }> {
    const { journal } = this.#options;
    const after = await journal.exported(tenant);
    const page = await journal.read(tenant, { ...(after !== undefined && { after }), count: PAGE_ENTRIES });
    return { tenant, page, last: page.at(-1)?.id ?? after };
  }

  /** Removes old entries of a tenant. `exported` is the id of the last entry that is in the files. */
  async #trim(tenant: string, exported: string | undefined): Promise<void> {
    const { journal, retentionMs } = this.#options;
    for (;;) {
      const trimmed = await journal.trim(tenant, exported, retentionMs);
      if (trimmed === undefined) {
        // The account has expired, and its journal has expired with it.
        this.#seen.delete(tenant);
        return journal.forget(tenant);
      }
      if (trimmed.left > 0) continue;
      this.#seen.set(tenant, { lastId: exported, retained: trimmed.retained });
      return;
    }
  }
}

function lineOf(tenant: string, entry: JournalEntry) {
  return { text: buildLine(tenant, entry), atMs: Number.parseInt(entry.id) };
}

/**
 * Runs `work` for each item. Returns the results of the successful runs, and adds the errors of the failed runs to
 * `failures`.
 */
async function forEachOf<Item, Result>(
  items: readonly Item[],
  failures: unknown[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const outcomes = await Promise.allSettled(items.map(work));
  for (const outcome of outcomes) if (outcome.status === 'rejected') failures.push(outcome.reason);
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
}

/** Returns whether a pass failed only because the ledger was unavailable. */
function isOutage(error: unknown): boolean {
  return error instanceof LedgerUnavailable || (error instanceof Error && error.cause instanceof LedgerUnavailable);
}
