import { LedgerUnavailable } from '@svc-asr/ledger';
import type {
  Account,
  AuditEntry,
  AuditLimits,
  ConsoleSessionRecord,
  DailyUsage,
  EndedAdminSessions,
  JournalEntry,
  CatalogueEntry,
  FleetGateway,
  FleetPool,
  RedisMemory,
  KeyRecord,
  KeyUsage,
  ListedSession,
  PurgeAnswer,
  PurgeRequest,
  RebuildPlan,
  Refusal,
  SessionPage,
  SessionQuery,
} from '@svc-asr/ledger';

/**
 * The part of the ledger that the console uses. The console writes the audit log, sessions of its users, ended sessions
 * of administrators, and marks of sent mails. It also writes requests to the operator to rebuild the ledger or to purge
 * a tenant. It only reads all other data.
 */
export interface LedgerView {
  readonly accounts: {
    read: (tenant: string) => Promise<Account | undefined>;
    dailyUsage: (tenant: string, days: number) => Promise<DailyUsage[]>;
    /** Returns usage from one day to another, both included (YYYY-MM-DD), oldest day first. */
    usageBetween: (tenant: string, from: string, to: string) => Promise<DailyUsage[]>;
    /** Returns usage from one day to another by model and key, newest day first. */
    usageByKey: (tenant: string, from: string, to: string) => Promise<KeyUsage[]>;
  };
  readonly refusals: {
    /** Returns the refused requests of a tenant, newest first. */
    list: (tenant: string) => Promise<Refusal[]>;
  };
  readonly sessionHistory: {
    list: (tenant: string, query: SessionQuery) => Promise<SessionPage>;
    find: (tenant: string, id: string) => Promise<ListedSession | undefined>;
  };
  readonly journal: {
    /** Returns one page of entries after the entry with the id `after`, oldest first. */
    read: (tenant: string, page: { after?: string; count?: number }) => Promise<JournalEntry[]>;
    /** Returns all tenants with an account, including deleted ones. */
    tenants: () => Promise<string[]>;
  };
  readonly identity: {
    read: () => Promise<string | undefined>;
    plan: () => Promise<RebuildPlan | undefined>;
    requestRebuild: (ledgerId: string) => Promise<void>;
  };
  readonly purge: {
    readonly requests: {
      submit: (request: PurgeRequest, timeoutMs: number) => Promise<void>;
      withdraw: (request: PurgeRequest) => Promise<void>;
      answerTo: (request: PurgeRequest) => Promise<PurgeAnswer | undefined>;
    };
  };
  readonly audit: {
    append: (entries: readonly AuditEntry[], limits: AuditLimits) => Promise<void>;
    read: (page: { before?: string | undefined; count: number }) => Promise<AuditEntry[]>;
  };
  readonly fleet: {
    gateways: () => Promise<FleetGateway[]>;
    pool: (model: string) => Promise<FleetPool>;
  };
  /** Contexts in the latest report of a worker of the model. */
  readonly pools: { contexts: (model: string) => Promise<[left: number, right: number][]> };
  readonly catalogue: { read: () => Promise<CatalogueEntry[] | undefined> };
  readonly memory: { read: () => Promise<RedisMemory[]> };
  readonly endedAdminSessions: {
    read: () => Promise<EndedAdminSessions>;
    add: (ended: EndedAdminSessions, nowMs: number) => Promise<void>;
  };
  readonly consoleSessions: {
    put: (user: string, id: string, record: ConsoleSessionRecord, nowMs: number) => Promise<void>;
    find: (user: string, id: string) => Promise<ConsoleSessionRecord | undefined>;
    end: (user: string, id: string) => Promise<void>;
    endAll: (user: string) => Promise<void>;
  };
  readonly mailMarks: {
    claim: (tenant: string, mail: string, lifetimeMs: number) => Promise<boolean>;
    release: (tenant: string, mail: string) => Promise<void>;
  };
  readonly apiKeys: {
    find: (keyId: string) => Promise<KeyRecord | undefined>;
    lastUsed: (keyId: string) => Promise<number | undefined>;
  };
}

/**
 * Reads data that a response can omit. While Redis is unavailable, `available` is false, so that the request can still
 * succeed.
 */
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
