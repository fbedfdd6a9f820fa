import type { JournalEntry, Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { buildLine } from './line.ts';
import type { JournalFiles } from './files.ts';

/** Tenants whose entries are written together, with one sync of the file. */
const TENANTS_AT_ONCE = 64;
const PAGE_ENTRIES = 500;
/** Lower than the id of any entry. */
const NONE = '0-0';

export interface JournalKeeperOptions {
  journal: Ledger['journal'];
  /** Undefined if the journal is not exported. */
  files: JournalFiles | undefined;
  /** Age from which an entry leaves Redis; with an exporter, only after it was exported. */
  retentionMs: number;
  /** Maximum number of entries of a tenant in Redis while an exporter is configured. */
  backlogEntries: number;
  intervalMs: number;
  logger: Logger;
  /** Milliseconds of a monotonic clock. */
  nowMs: () => number;
}

/** State of the journals as of the last pass. */
export interface JournalReadings {
  /** Entries of all tenants in Redis. */
  entries: number;
  /**
   * Number of entries that are not exported, divided by their limit, of the tenant with the most. Undefined without an
   * exporter.
   */
  backlogRatio: number | undefined;
  /** Seconds since all new entries were exported. Undefined without an exporter. */
  exportAgeSeconds: number | undefined;
}

export interface JournalKeeper {
  start: () => void;
  /** Resolves when the current pass has ended. */
  stop: () => Promise<void>;
  /** Undefined before the first pass. */
  readings: () => JournalReadings | undefined;
  /** Exports and trims the journal of every tenant once. */
  runPass: () => Promise<void>;
}

/** What the keeper remembers of a tenant, so that a tenant without new entries costs one command per pass. */
interface Seen {
  /** Id of the newest entry when everything was exported. */
  lastId: string | undefined;
  /** Entries in Redis at that time. */
  retained: number;
}

/**
 * Creates the task that keeps journals in Redis short: it exports new entries, acknowledges them, and removes those that
 * are old enough. An entry is acknowledged only after its line is on disk. A crash in between exports it again.
 */
export function createJournalKeeper(options: JournalKeeperOptions): JournalKeeper {
  const { journal, files, retentionMs, backlogEntries, intervalMs, logger, nowMs } = options;
  const seen = new Map<string, Seen>();
  const startedAtMs = nowMs();
  let exportedAtMs: number | undefined;
  let entries = 0;
  let backlog = 0;
  let hasFailed = false;
  let hasRun = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  /** Returns whether a tenant has entries to export or to trim. */
  async function findWork(tenant: string): Promise<boolean> {
    const status = await journal.status(tenant);
    const { lastId, retained = 0 } = seen.get(tenant) ?? {};
    entries += status?.length ?? 0;
    if (status === undefined) return true;
    if (lastId !== status.lastId) backlog = Math.max(backlog, status.length - retained);
    return lastId !== status.lastId || status.length > 0;
  }

  /** Removes old entries of a tenant. `exported` is the id of the last entry that is in the files. */
  async function trim(tenant: string, exported: string | undefined): Promise<void> {
    for (;;) {
      const trimmed = await journal.trim(tenant, exported, retentionMs);
      if (trimmed === undefined) {
        // The account has expired, and its journal with it.
        seen.delete(tenant);
        return journal.forget(tenant);
      }
      if (trimmed.left > 0) continue;
      seen.set(tenant, { lastId: exported, retained: trimmed.retained });
      return;
    }
  }

  /** Exports one page of each tenant. Returns the tenants that have more. */
  async function exportPages(tenants: readonly string[], to: JournalFiles): Promise<string[]> {
    const pages = await Promise.all(
      tenants.map(async (tenant) => {
        const after = await journal.exported(tenant);
        const page = await journal.read(
          tenant,
          after === undefined ? { count: PAGE_ENTRIES } : { after, count: PAGE_ENTRIES },
        );
        return { tenant, page, last: page.at(-1)?.id ?? after };
      }),
    );
    const lines = pages.flatMap(({ tenant, page }) => page.map((entry) => lineOf(tenant, entry)));
    if (lines.length > 0) await to.append(lines);
    await Promise.all(pages.map(({ tenant, last }) => trim(tenant, last ?? NONE)));
    return pages.filter(({ page }) => page.length >= PAGE_ENTRIES).map(({ tenant }) => tenant);
  }

  async function runPass(): Promise<void> {
    [entries, backlog] = [0, 0];
    const tenants = await journal.tenants();
    for (let at = 0; at < tenants.length && !stopped; at += TENANTS_AT_ONCE) {
      const some = tenants.slice(at, at + TENANTS_AT_ONCE);
      const work = await Promise.all(some.map(findWork));
      let busy = some.filter((_, index) => work[index]);
      if (files === undefined) await Promise.all(busy.map((tenant) => trim(tenant, undefined)));
      else while (busy.length > 0 && !stopped) busy = await exportPages(busy, files);
    }
    exportedAtMs = nowMs();
  }

  async function runAndSchedule(): Promise<void> {
    try {
      await runPass();
      if (hasFailed) logger.info('the journal is exported again');
      hasFailed = false;
    } catch (err) {
      if (!hasFailed) logger.error({ err }, 'the journal could not be exported or trimmed; entries stay in Redis');
      hasFailed = true;
    }
    hasRun = true;
    if (!stopped) timer = setTimeout(() => (running = runAndSchedule()), intervalMs);
  }

  return {
    start: () => void (running = runAndSchedule()),
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      return running;
    },
    readings: () =>
      hasRun
        ? {
            entries,
            backlogRatio: files === undefined ? undefined : backlog / backlogEntries,
            exportAgeSeconds: files === undefined ? undefined : (nowMs() - (exportedAtMs ?? startedAtMs)) / 1000,
          }
        : undefined,
    runPass,
  };
}

function lineOf(tenant: string, entry: JournalEntry) {
  return { text: buildLine(tenant, entry), atMs: Number.parseInt(entry.id) };
}
