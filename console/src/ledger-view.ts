import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Account, DailyUsage, JournalEntry, KeyRecord, RebuildPlan, SessionRecord } from '@svc-asr/ledger';

/** What the console reads of the ledger. It writes nothing but a request to rebuild: the operator brings resources to Redis. */
export interface LedgerView {
  readonly accounts: {
    read: (tenant: string) => Promise<Account | undefined>;
    dailyUsage: (tenant: string, days: number) => Promise<DailyUsage[]>;
    recent: (tenant: string) => Promise<SessionRecord[]>;
  };
  readonly journal: {
    /** One page, oldest first, after the entry whose id is `after`. */
    read: (tenant: string, page: { after?: string; count?: number }) => Promise<JournalEntry[]>;
  };
  readonly identity: {
    read: () => Promise<string | undefined>;
    plan: () => Promise<RebuildPlan | undefined>;
    requestRebuild: (ledgerId: string) => Promise<void>;
  };
  readonly apiKeys: {
    find: (keyId: string) => Promise<KeyRecord | undefined>;
    lastUsed: (keyId: string) => Promise<number | undefined>;
  };
}

/** Reads what an answer can do without: while Redis is away people still see, write and revoke resources. */
export async function readIfAvailable<T>(
  read: () => Promise<T>,
): Promise<{ available: true; value: T } | { available: false; value: undefined }> {
  try {
    return { available: true, value: await read() };
  } catch (error) {
    if (error instanceof LedgerUnavailable) return { available: false, value: undefined };
    throw error;
  }
}
