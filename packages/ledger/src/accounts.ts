import type { TenantLimits } from '@svc-asr/core';
import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { loadScript } from './scripts.ts';
import type {
  Account,
  AccountState,
  Balance,
  Budget,
  BudgetRecord,
  LimitedCorrection,
  SessionRecord,
  TenantSettings,
  TenantVersion,
} from './types.ts';
import { createDailyUsage } from './daily-usage.ts';
import { createKeyUsage } from './key-usage.ts';
import { readBudget, readBudgetRecord } from './budget.ts';
import { readPriority } from './priority.ts';
import { fields, numbers, recentSessions } from './replies.ts';

const CONFIGURE = loadScript('configure');
const GRANT = loadScript('grant');
const RESTORE = loadScript('restore');
const CLOSE = loadScript('close');
const USAGE = loadScript('usage');

/** Creates the functions that write and read accounts. */
export function createAccounts(link: RedisLink, keys: RedisKeys, options: { retentionMs: number }) {
  return { ...createAccountWriter(link, keys, options), ...createAccountReader(link, keys) };
}

function createAccountWriter(link: RedisLink, keys: RedisKeys, options: { retentionMs: number }) {
  return {
    /**
     * Creates or changes an account. A closed account resumes. Returns false if a newer version of the same Tenant, or
     * its deletion, was applied before. A call without a version always writes.
     */
    async configure(tenant: string, settings: TenantSettings, version?: TenantVersion): Promise<boolean> {
      // The tenant is added to the set before its account is created. A crash in between then leaves no account that is
      // missing from the set.
      await link.send(keys.tenants(), ['SADD', keys.tenants(), tenant]);
      const { state, models, limits, displayName, priority = 'normal' } = settings;
      const scope = ` ${models.join(' ')} `;
      const { concurrentSessions, sessionsPerMinute, requestsPerMinute } = limits;
      const rates = [concurrentSessions, sessionsPerMinute, requestsPerMinute];
      const modelLimits = (limits.models ?? []).flatMap(({ model, concurrentSessions: limit }) => [model, limit]);
      const stamp = version === undefined ? ['', ''] : [version.uid, version.generation];
      const others = [settings.monthlyBudgetMs ?? '', priority === 'normal' ? '' : priority];
      const args = [state, scope, ...rates, displayName, ...stamp, ...others, ...modelLimits];
      return (await link.run(CONFIGURE, keys.account(tenant), args)) === 'ok';
    },

    /**
     * Adds credit, once per grant id. If the account was lost and created again, `appliedMs` is the change of the
     * balance that the same grant had caused before the loss.
     */
    async grant(
      tenant: string,
      grantId: string,
      ms: number,
      appliedMs?: number,
    ): Promise<{ applied: boolean; amountMs: number }> {
      const args = [grantId, ms, appliedMs ?? ''];
      const [applied = -1, amountMs = 0] = numbers(await link.run(GRANT, keys.account(tenant), args));
      if (applied === -1) throw new Error(`cannot grant credit: tenant "${tenant}" has no account`);
      return { applied: applied === 1, amountMs };
    },

    /**
     * Raises the consumed credit to the value of the last checkpoint, once per restoration. Consumes at most the
     * available credit. A budget is restored as it was at the checkpoint. Returns the amount that the restoration
     * added, and whether this call added it.
     */
    async restore(
      tenant: string,
      restorationId: string,
      consumedMs: number,
      budget?: Pick<BudgetRecord, 'month' | 'grantedMs' | 'remainingMs' | 'usedMs'>,
    ): Promise<{ added: boolean; consumedMs: number }> {
      const parts = budget === undefined ? [''] : [budget.month, budget.grantedMs, budget.remainingMs, budget.usedMs];
      const args = [restorationId, consumedMs, ...parts];
      const [applied = -1, amount = 0] = numbers(await link.run(RESTORE, keys.account(tenant), args));
      if (applied === -1) throw new Error(`cannot restore consumed credit: tenant "${tenant}" has no account`);
      return { added: applied === 1 && amount > 0, consumedMs: amount };
    },

    /** Ends the sessions of a tenant and closes its account. The account is kept for the retention time. */
    async close(tenant: string): Promise<void> {
      while (Number(await link.run(CLOSE, keys.account(tenant), [options.retentionMs])) > 0);
    },
  };
}

function createAccountReader(link: RedisLink, keys: RedisKeys) {
  const daily = createDailyUsage(link, keys);
  return {
    async read(tenant: string): Promise<Account | undefined> {
      const [hash, live] = await Promise.all([
        link.send(keys.account(tenant), ['HGETALL', keys.account(tenant)]),
        link.send(keys.live(tenant), ['ZCARD', keys.live(tenant)]),
      ]);
      const account = fields(hash);
      return account.size === 0 ? undefined : accountOf(tenant, account, Number(live));
    },

    /** Returns only the state of an account. Undefined if there is no account. */
    async state(tenant: string): Promise<AccountState | undefined> {
      const state = await link.send(keys.account(tenant), ['HGET', keys.account(tenant), 'state']);
      return state === null ? undefined : (state as AccountState);
    },

    /**
     * Returns the balance, the budget and the recent sessions. Ends overdue sessions and renews the budget first.
     * Undefined if there is no account.
     */
    async usage(
      tenant: string,
    ): Promise<{ balance: Balance; budget: Budget | undefined; recent: SessionRecord[] } | undefined> {
      const reply = (await link.run(USAGE, keys.account(tenant), [])) as unknown[];
      if (reply.length === 0) return undefined;
      const [granted = 0, reserved = 0, consumed = 0] = numbers(reply.slice(0, 3));
      const balance = balanceOf(granted, reserved, consumed);
      return { balance, budget: readBudget(reply[3]), recent: recentSessions(reply.slice(4)) };
    },

    ...daily,
    ...createKeyUsage(link, keys, daily),
  };
}

function balanceOf(grantedMs: number, reservedMs: number, consumedMs: number): Balance {
  return { grantedMs, reservedMs, consumedMs, availableMs: grantedMs - reservedMs - consumedMs };
}

function accountOf(tenant: string, account: Map<string, string>, liveSessions: number): Account {
  const text = (field: string) => account.get(field) ?? '';
  const number = (field: string) => Number(account.get(field) ?? 0);
  const models = modelLimitsOf(account);
  const limits: TenantLimits = {
    ...(models.length > 0 && { models }),
    concurrentSessions: number('cc'),
    sessionsPerMinute: number('spm'),
    requestsPerMinute: number('rpm'),
  };
  const budget = readBudgetRecord(account);
  return {
    tenant,
    displayName: text('name'),
    state: text('state') as AccountState,
    models: text('models').trim().split(' '),
    limits,
    priority: readPriority(account.get('prio')),
    liveSessions,
    limitedCorrections: correctionsOf(text('lc')),
    ...(budget !== undefined && { budget }),
    ...balanceOf(number('granted'), number('reserved'), number('consumed')),
  };
}

/** Returns the limits of individual models in the hash of an account, sorted by model. */
function modelLimitsOf(account: ReadonlyMap<string, string>): NonNullable<TenantLimits['models']> {
  const fields = [...account].filter(([field]) => field.startsWith('cc:')).sort(([a], [b]) => (a < b ? -1 : 1));
  return fields.map(([field, limit]) => ({ model: field.slice('cc:'.length), concurrentSessions: Number(limit) }));
}

/** Parses `GRANT MS GRANT MS …`, a list of negative grants that removed less credit than they specify. */
function correctionsOf(words: string): LimitedCorrection[] {
  return [...words.matchAll(/(\S+) (\S+)/g)].map(([, id = '', amount]) => ({ id, appliedMs: Number(amount) }));
}
