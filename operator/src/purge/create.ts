import type { Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import type { JournalKeeper } from '../journal/keeper.ts';
import type { Checkpoints } from '../ledger/checkpoints.ts';
import { withLedgerGuard } from '../ledger/guard.ts';
import type { LedgerGuard } from '../ledger/guard.ts';
import type { Applied } from '../reconcile/applied.ts';
import type { WorkKey } from '../reconcile/work.ts';
import type { OperatorSettings } from '../settings.ts';
import type { ResourceSource } from '../source/source.ts';
import { PurgeTask } from './task.ts';

export interface PurgeParts {
  settings: Pick<OperatorSettings, 'JOURNAL_FOLDER' | 'LEDGER_INTERVAL_MS'>;
  ledger: Ledger;
  guard: LedgerGuard;
  source: ResourceSource;
  applied: Applied;
  checkpoints: Checkpoints;
  journal: JournalKeeper;
  enqueue: (key: WorkKey) => void;
  logger: Logger;
}

/** Creates the task that answers requests to count or remove all data of a tenant. */
export function createPurgeTask(parts: PurgeParts): PurgeTask {
  const { settings, ledger, guard, source, applied, checkpoints, journal, enqueue, logger } = parts;
  const { purge } = ledger;
  return new PurgeTask({
    purge: withLedgerGuard(guard, {
      count: (tenant: string) => purge.count(tenant),
      countStreams: (tenant: string) => purge.countStreams(tenant),
      remove: (tenant: string) => purge.remove(tenant),
    }),
    requests: withLedgerGuard(guard, purge.requests),
    accounts: ledger.accounts,
    apiKeys: ledger.apiKeys,
    source,
    applied,
    checkpoints,
    journal,
    journalFolder: settings.JOURNAL_FOLDER,
    enqueue,
    intervalMs: settings.LEDGER_INTERVAL_MS,
    logger,
  });
}
