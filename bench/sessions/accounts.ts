import type { Ledger, TenantSettings } from '@svc-asr/ledger';
import { seedTenant } from '../../test/support/gateway.ts';
import { TENANT } from '../../test/support/ledger.ts';

/** Number of accounts. Each requests about ten sessions per second, which is more than a real account does. */
const TENANTS = 500;
const CREDIT_MS = 3_600_000_000;
const LIMITS = { concurrentSessions: 1_000_000, sessionsPerMinute: 1_000_000, requestsPerMinute: 10_000_000 };
const SETTINGS: TenantSettings = { ...TENANT, limits: LIMITS };

/** The accounts that request sessions. */
export interface Accounts {
  readonly apiKeys: readonly string[];
  /**
   * Resets every account to its initial state, without sessions. A real ledger contains the sessions of one minute.
   * Without resets, this ledger would contain the sessions of the whole run, and each round would be slower than the
   * previous one.
   */
  renew: () => Promise<void>;
}

export async function openAccounts(ledger: Ledger, prefix: string): Promise<Accounts> {
  const seeded = await Promise.all(Array.from({ length: TENANTS }, () => seedTenant(ledger, CREDIT_MS, SETTINGS)));
  return {
    apiKeys: seeded.map(({ key }) => key),
    renew: async () => {
      // Deletes the keys of tenants, and the keys of the slots that sessions have reserved in pools.
      for (const pattern of [`${prefix}:{t:*`, `${prefix}:{m:*}:h`]) await drop(ledger, pattern);
      for (const { tenant } of seeded) {
        await ledger.accounts.configure(tenant, SETTINGS);
        await ledger.accounts.grant(tenant, 'first', CREDIT_MS);
      }
    },
  };
}

/** Deletes keys synchronously, so that no work is left for the next round. */
async function drop(ledger: Ledger, pattern: string): Promise<void> {
  let cursor = '0';
  do {
    const scan = ['SCAN', cursor, 'MATCH', pattern, 'COUNT', '1000'];
    const [next, keys] = (await ledger.link.send('', scan)) as [string, string[]];
    if (keys.length > 0) await ledger.link.send('', ['DEL', ...keys]);
    cursor = next;
  } while (cursor !== '0');
}
