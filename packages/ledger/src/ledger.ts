import { createAccounts } from './accounts.ts';
import { createAdmission } from './admission.ts';
import { createApiKeys } from './apikeys.ts';
import { createCatalogue } from './catalogue.ts';
import { createClock } from './clock.ts';
import { createDue } from './due.ts';
import { createGateways } from './gateways.ts';
import { createJournal } from './journal.ts';
import { createKeys } from './keys.ts';
import { createPools } from './pools.ts';
import { createRegistry } from './registry.ts';
import type { RedisLink } from './redis/link.ts';
import { createSessions } from './sessions.ts';
import { createWorkers } from './workers.ts';

export interface LedgerOptions {
  /** First part of every key. */
  prefix: string;
  /** Lifetime of a session credential. */
  sessionTtlMs?: number;
  /** Lifetime of a session that is made but not confirmed. */
  provisionalLeaseMs?: number;
  /** How long a gateway or worker process that does not renew it keeps its lease. */
  processLeaseMs?: number;
  /** How long a closed account is kept. */
  retentionMs?: number;
}

/** How long a reserve that was cancelled before it arrived is refused: far longer than a packet can be on its way. */
const TOMBSTONE_MS = 600_000;

/** The ledger: everything that is known of accounts, keys, sessions and models, over one connection. */
export function createLedger(link: RedisLink, options: LedgerOptions) {
  const keys = createKeys(options.prefix);
  const clock = createClock();
  const due = createDue(link, keys, clock);
  const leaseMs = options.processLeaseMs ?? 15_000;
  const pools = createPools(link, keys);
  const sessions = createSessions(link, keys, due, {
    ttlMs: options.sessionTtlMs ?? 60_000,
    leaseMs: options.provisionalLeaseMs ?? 5000,
    tombstoneMs: TOMBSTONE_MS,
  });
  return {
    link,
    accounts: createAccounts(link, keys, { retentionMs: options.retentionMs ?? 90 * 86_400_000 }),
    admit: createAdmission(link, keys, clock),
    sessions,
    journal: createJournal(link, keys),
    keys: createApiKeys(link, keys),
    catalogue: createCatalogue(link, keys),
    pools,
    workers: createWorkers(link, keys, { leaseMs }),
    gateways: createGateways(link, keys, { sessions, pools, leaseMs }),
    registry: createRegistry(link, keys),
    reap: due.reap,
    /** An estimate of Redis TIME. */
    now: clock.now,
  };
}

export type Ledger = ReturnType<typeof createLedger>;
