import { readFileSync } from 'node:fs';
import type { Caller } from '../lib/plan.ts';
import { request } from '../../tools/start/request.ts';
import type { RequestOptions } from '../../tools/start/request.ts';
import type { Target } from './target.ts';

/**
 * Timeout of a request. The admin API answers a write when the change is effective, or after a minute at the latest.
 */
const TIMEOUT_MS = 70_000;

interface Balance {
  readonly available_ms: number;
  readonly reserved_ms: number;
  readonly consumed_ms: number;
}

/** Credit of a tenant, as the admin API reports it and as the tenant's own API reports it. */
export interface Balances {
  readonly tenant: string;
  readonly credits: Balance & { readonly granted_ms: number };
  readonly liveSessions: number;
  /** Sum of the charges of the tenant on the last two days. */
  readonly billableMs: number;
  /** Response of GET /v1/usage with the tenant's API key. */
  readonly ownView: Balance;
}

export interface TenantLimits {
  readonly concurrentSessions: number;
  readonly sessionsPerMinute: number;
  readonly requestsPerMinute: number;
}

export interface TenantRequest {
  readonly name: string;
  readonly audioSeconds: number;
  readonly limits: TenantLimits;
}

/** Client for the part of the console's admin API that load tests use. */
export interface Admin {
  /** Creates a tenant and one API key, waits until both are effective, and returns the key. */
  createTenant: (tenant: TenantRequest) => Promise<string>;
  removeTenant: (name: string) => Promise<void>;
  readBalances: (caller: Caller) => Promise<Balances>;
}

/** Creates a client for the admin API of a service. */
export function createAdmin({ baseUrl, adminUrl, adminToken, caFile, adminCaFile }: Target): Admin {
  const [ca, adminCa] = [readCa(caFile), readCa(adminCaFile)];

  async function call<Result>(url: string, options: RequestOptions): Promise<Result> {
    const response = await request(url, { timeoutMs: TIMEOUT_MS, ...options });
    if (response.status < 300) return JSON.parse(response.body) as Result;
    // The error may quote the response, because only responses to successful requests contain secrets.
    throw new Error(`${options.method} ${url} returned ${response.status}: ${response.body.slice(0, 300)}`);
  }
  const callAdmin = <Result>(method: string, path: string, body?: unknown) =>
    call<Result>(`${adminUrl}/admin/v1${path}`, { method, token: adminToken, body, ...adminCa });

  return {
    createTenant: async ({ name, audioSeconds, limits }) => {
      const tenant = await callAdmin<{ applied: boolean }>('PUT', `/tenants/${name}`, {
        displayName: 'Load test',
        state: 'Active',
        limits,
        grants: [{ id: 'loadtest', audioSeconds }],
      });
      const key = await callAdmin<{ key: string; active: boolean }>('POST', '/keys', {
        tenant: name,
        name: 'load test',
      });
      if (!tenant.applied || !key.active) {
        throw new Error(`the tenant ${name} did not become effective. Check that the operator is running.`);
      }
      return key.key;
    },
    removeTenant: (name) => callAdmin('DELETE', `/tenants/${name}`),
    readBalances: async ({ tenant, key }) => {
      const { account } = await callAdmin<{
        account: { credits: Balances['credits']; live_sessions: number };
      }>('GET', `/tenants/${tenant}`);
      const { data } = await callAdmin<{ data: { billable_ms: number }[] }>('GET', `/tenants/${tenant}/usage?days=2`);
      return {
        tenant,
        credits: account.credits,
        liveSessions: account.live_sessions,
        billableMs: data.reduce((sum, day) => sum + day.billable_ms, 0),
        ownView: await call<Balance>(`${baseUrl}/v1/usage`, { method: 'GET', token: key, ...ca }),
      };
    },
  };
}

function readCa(file: string): { ca?: string } {
  return file === '' ? {} : { ca: readFileSync(file, 'utf8') };
}
