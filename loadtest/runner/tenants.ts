import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller, Role } from '../lib/plan.ts';
import { logProgress } from '../../tools/launch/terminal.mjs';
import type { Admin, Balances, TenantLimits } from './admin.ts';

/** Credit of a tenant. It is more than any run can consume, even by a noisy tenant. */
const AUDIO_SECONDS = 100_000_000;
const POLL_MS = 250;

/** The tenants of one run. */
export interface Tenants {
  readonly callers: readonly Caller[];
  add: (role: Role, limits: TenantLimits) => Promise<void>;
  /** Waits until no credit is reserved any more, but at most `settleMs`. Then reads all balances. */
  readBalances: (settleMs: number) => Promise<Balances[]>;
  /** Removes all tenants, including those whose creation failed. */
  remove: () => Promise<void>;
}

/** Creates tenants with names that no other run uses. */
export function createTenants(admin: Admin): Tenants {
  const run = randomBytes(4).toString('hex');
  const names: string[] = [];
  const callers: Caller[] = [];
  return {
    callers,
    add: async (role, limits) => {
      const name = `loadtest-${run}-${names.length + 1}`;
      names.push(name);
      const key = await admin.createTenant({ name, audioSeconds: AUDIO_SECONDS, limits });
      callers.push({ tenant: name, key, role });
    },
    readBalances: async (settleMs) => {
      const deadlineMs = performance.now() + settleMs;
      for (;;) {
        const balances = await Promise.all(callers.map((caller) => admin.readBalances(caller)));
        const isSettled = balances.every(
          ({ credits, liveSessions }) => credits.reserved_ms === 0 && liveSessions === 0,
        );
        if (isSettled || performance.now() > deadlineMs) return balances;
        await sleep(POLL_MS);
      }
    },
    remove: async () => {
      for (const name of names.splice(0)) {
        await admin.removeTenant(name).catch((error: unknown) => {
          const reason = error instanceof Error ? error.message : String(error);
          logProgress(`cannot delete the tenant ${name}. Delete it by hand. ${reason}`);
        });
      }
    },
  };
}
