import { createAccounts } from './accounts.ts';
import { createAdmission } from './admission.ts';
import { createApiKeys } from './apikeys.ts';
import { createAudit } from './audit.ts';
import { createCatalogue } from './catalogue.ts';
import { createClock } from './clock.ts';
import { withConstants } from './constants.ts';
import type { ScriptConstants } from './constants.ts';
import { createConsoleSessions } from './console-sessions.ts';
import { createDue } from './due.ts';
import { createEndedAdminSessions } from './ended-admin-sessions.ts';
import { createFleet } from './fleet.ts';
import { createGateways } from './gateways.ts';
import { createIdentity } from './identity.ts';
import { createJournal } from './journal.ts';
import { createMailMarks } from './mail-marks.ts';
import { createMemory } from './memory.ts';
import { createRedisKeys } from './keys.ts';
import { createOwnership } from './ownership.ts';
import { createPools } from './pools.ts';
import { createPurge } from './purge/purge.ts';
import { createRefusals } from './refusals.ts';
import { createReaper } from './reaper.ts';
import { createRegistry } from './registry.ts';
import type { RedisLink } from './redis/link.ts';
import { numbers } from './replies.ts';
import { createRevisions } from './revisions.ts';
import { createSchema } from './schema.ts';
import { createSessionAccess } from './session-access.ts';
import { createSessionHistory } from './session-history.ts';
import { createSessions } from './sessions.ts';
import { createWorkers } from './workers.ts';

export interface LedgerOptions {
  /** Prefix of every key. */
  prefix: string;
  /** Lifetime of a session credential. */
  sessionTtlMs?: number;
  /** Lifetime of a provisional session, which was created but not confirmed. */
  provisionalLeaseMs?: number;
  /** Duration of the lease of a gateway or worker process. */
  processLeaseMs?: number;
  /** Time for which a closed account is kept. */
  retentionMs?: number;
  /** Time for which the record of a revoked API key is kept. */
  keyRetentionMs?: number;
  /**
   * Time for which `sessions.reserve` is refused after `sessions.cancel` was called for the same session. It is far
   * longer than the network can delay a packet.
   */
  tombstoneMs?: number;
  /** Time after which another reaper may repeat work that one reaper has started but not finished. */
  reaperRetryMs?: number;
  /**
   * Longest plausible change of the time of Redis between two checks of the leases. After a larger change, every lease
   * is restarted. A value above a third of a lease is reduced to a third.
   */
  largestTimeStepMs?: number;
  constants?: ScriptConstants;
  /** Clock of this machine. Tests set it. */
  localNow?: () => number;
}

/** Creates the ledger over one connection: accounts, API keys, sessions, models and processes. */
export function createLedger(plainLink: RedisLink, options: LedgerOptions) {
  const leaseMs = options.processLeaseMs ?? 15_000;
  const gapMs = Math.min(options.largestTimeStepMs ?? 5000, Math.floor(leaseMs / 3));
  const link = withConstants(plainLink, { LEASE_MS: leaseMs, LEASE_GAP_MS: gapMs, ...options.constants });
  const reaperRetryMs = options.reaperRetryMs ?? 5000;
  const keys = createRedisKeys(options.prefix);
  const clock = createClock(options.localNow);
  const ttlMs = options.sessionTtlMs ?? 60_000;
  const due = createDue(link, keys, clock, { ttlMs });
  const pools = createPools(link, keys);
  const sessions = createSessions(link, keys, due, {
    ttlMs,
    leaseMs: options.provisionalLeaseMs ?? 5000,
    tombstoneMs: options.tombstoneMs ?? 600_000,
  });
  const ownership = createOwnership(link, keys, { sessions, pools });
  const reap = createReaper(link, keys, { due, sessions, pools, ownership, retryMs: reaperRetryMs });
  return {
    link,
    accounts: createAccounts(link, keys, { retentionMs: options.retentionMs ?? 90 * 86_400_000 }),
    admit: createAdmission(link, keys, clock),
    sessions,
    refusals: createRefusals(link, keys),
    sessionHistory: createSessionHistory(link, keys),
    sessionAccess: createSessionAccess(link, keys, clock.now),
    journal: createJournal(link, keys),
    memory: createMemory(link, keys),
    apiKeys: createApiKeys(link, keys, { retentionMs: options.keyRetentionMs ?? 30 * 86_400_000 }),
    audit: createAudit(link, keys),
    fleet: createFleet(link, keys),
    endedAdminSessions: createEndedAdminSessions(link, keys),
    catalogue: createCatalogue(link, keys),
    pools,
    workers: createWorkers(link, keys, { leaseMs }),
    gateways: { ...createGateways(link, keys, { sessions, pools, leaseMs, reaperRetryMs }), ...ownership },
    identity: createIdentity(link, keys),
    consoleSessions: createConsoleSessions(link, keys),
    mailMarks: createMailMarks(link, keys),
    schema: createSchema(link, keys),
    revisions: createRevisions(link, keys),
    registry: createRegistry(link, keys),
    purge: createPurge(link, keys, options.prefix),
    reap,
    /** Returns an estimate of the time of Redis. */
    now: clock.now,
    /** Reads the time of Redis. `now` is then correct even if the local clock is wrong or was changed. */
    async syncClock(): Promise<void> {
      const [seconds, microseconds] = numbers(await link.send(keys.gateways(), ['TIME']));
      clock.observe((seconds ?? 0) * 1000 + Math.floor((microseconds ?? 0) / 1000));
    },
  };
}

export type Ledger = ReturnType<typeof createLedger>;
