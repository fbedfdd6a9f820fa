import { createAccounts } from './accounts.ts';
import { createAdmission } from './admission.ts';
import { createApiKeys } from './apikeys.ts';
import { createCatalogue } from './catalogue.ts';
import { createClock } from './clock.ts';
import { withConstants } from './constants.ts';
import type { ScriptConstants } from './constants.ts';
import { createDue } from './due.ts';
import { createGateways } from './gateways.ts';
import { createIdentity } from './identity.ts';
import { createJournal } from './journal.ts';
import { createMemory } from './memory.ts';
import { createRedisKeys } from './keys.ts';
import { createPools } from './pools.ts';
import { createRegistry } from './registry.ts';
import type { RedisLink } from './redis/link.ts';
import { createRevisions } from './revisions.ts';
import { createSessions } from './sessions.ts';
import { createWorkers } from './workers.ts';

export interface LedgerOptions {
  /** First part of every key. */
  prefix: string;
  /** Lifetime of a session credential. */
  sessionTtlMs?: number;
  /** Lifetime of a session that was created but not confirmed. */
  provisionalLeaseMs?: number;
  /** Lifetime of the lease of a gateway or worker process. */
  processLeaseMs?: number;
  /** Time that a closed account is kept. */
  retentionMs?: number;
  /** Time for which a reserve is refused after its cancel. Far longer than a network packet can be delayed. */
  tombstoneMs?: number;
  /** Time after which work that a reaper has taken but not finished is available again. */
  reaperRetryMs?: number;
  /**
   * Longest plausible step of Redis TIME between two checks. After a longer one, the reaper waits before it declares a
   * process dead.
   */
  largestTimeStepMs?: number;
  constants?: ScriptConstants;
}

/** Creates the ledger: accounts, API keys, sessions, models and processes, over one connection. */
export function createLedger(plainLink: RedisLink, options: LedgerOptions) {
  const link = withConstants(plainLink, options.constants ?? {});
  const reaperRetryMs = options.reaperRetryMs ?? 5000;
  const keys = createRedisKeys(options.prefix);
  const clock = createClock();
  const due = createDue(link, keys, clock, reaperRetryMs);
  const leaseMs = options.processLeaseMs ?? 15_000;
  const pools = createPools(link, keys);
  const sessions = createSessions(link, keys, due, {
    ttlMs: options.sessionTtlMs ?? 60_000,
    leaseMs: options.provisionalLeaseMs ?? 5000,
    tombstoneMs: options.tombstoneMs ?? 600_000,
  });
  return {
    link,
    accounts: createAccounts(link, keys, { retentionMs: options.retentionMs ?? 90 * 86_400_000 }),
    admit: createAdmission(link, keys, clock),
    sessions,
    journal: createJournal(link, keys),
    memory: createMemory(link, keys),
    apiKeys: createApiKeys(link, keys),
    catalogue: createCatalogue(link, keys),
    pools,
    workers: createWorkers(link, keys, { leaseMs }),
    gateways: createGateways(link, keys, {
      sessions,
      pools,
      leaseMs,
      reaperRetryMs,
      largestStepMs: options.largestTimeStepMs ?? 5000,
    }),
    identity: createIdentity(link, keys),
    revisions: createRevisions(link, keys),
    registry: createRegistry(link, keys),
    reap: due.reap,
    /** Returns an estimate of Redis TIME. */
    now: clock.now,
  };
}

export type Ledger = ReturnType<typeof createLedger>;
