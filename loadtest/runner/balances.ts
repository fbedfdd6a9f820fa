import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../lib/plan.ts';
import { request } from '../../tools/start/request.ts';
import type { Account, Admin, Usage } from './admin.ts';
import type { Target } from './target.ts';

const POLL_MS = 250;

/** Credit of a tenant, as the admin API and the tenant's own API report it. */
export interface Balances {
  readonly tenant: string;
  readonly account: Account;
  readonly usage: Usage;
  /** Response of GET /v1/usage to the tenant. */
  readonly balance: { readonly available_ms: number; readonly reserved_ms: number; readonly consumed_ms: number };
}

/** Reads the balances of all tenants when no credit is reserved any more, or at the latest after `settleMs`. */
export async function readBalances(
  admin: Admin,
  target: Target,
  callers: readonly Caller[],
  settleMs: number,
): Promise<Balances[]> {
  const deadlineMs = performance.now() + settleMs;
  const isSettled = ({ credits, live_sessions: live }: Account) => credits.reserved_ms === 0 && live === 0;
  for (const { tenant } of callers) {
    while (!isSettled(await admin.account(tenant)) && performance.now() < deadlineMs) await sleep(POLL_MS);
  }
  return Promise.all(
    callers.map(async ({ tenant, key }) => ({
      tenant,
      account: await admin.account(tenant),
      usage: await admin.usage(tenant),
      balance: await readBalance(target, key),
    })),
  );
}

async function readBalance({ baseUrl, caFile }: Target, key: string): Promise<Balances['balance']> {
  const ca = caFile === '' ? {} : { ca: readFileSync(caFile, 'utf8') };
  const { status, body } = await request(`${baseUrl}/v1/usage`, { token: key, ...ca });
  if (status !== 200) throw new Error(`GET /v1/usage returned ${status}: ${body.slice(0, 300)}`);
  return JSON.parse(body) as Balances['balance'];
}
