import { hostname } from 'node:os';
import type { Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { systemClock } from '../queue/clock.ts';
import type { OperatorSettings } from '../settings.ts';
import { createJournalFiles } from './files.ts';
import { JournalKeeper } from './keeper.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Interval at which old entries are removed if the journal is not exported. */
const TRIM_INTERVAL_MS = 10 * MINUTE_MS;

/** Creates the task that exports the journal, or only removes old entries if no folder is set. */
export function createJournalTask(
  settings: OperatorSettings,
  journal: Ledger['journal'],
  logger: Logger,
): JournalKeeper {
  const isExported = settings.JOURNAL_FOLDER !== '';
  return new JournalKeeper({
    journal,
    files: isExported ? createJournalFiles(settings.JOURNAL_FOLDER, hostname()) : undefined,
    retentionMs: isExported ? settings.JOURNAL_EXPORTED_MINUTES * MINUTE_MS : settings.JOURNAL_RETENTION_DAYS * DAY_MS,
    backlogEntries: settings.JOURNAL_BACKLOG_ENTRIES,
    intervalMs: isExported ? settings.JOURNAL_EXPORT_INTERVAL_MS : TRIM_INTERVAL_MS,
    logger,
    nowMs: systemClock.nowMs,
  });
}
