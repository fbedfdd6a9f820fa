import { readFileSync } from 'node:fs';
import { request } from '../../tools/start/request.ts';
import type { Target } from './target.ts';

/** The admin API responds to a write when the change is effective, which can take a minute. */
const TIMEOUT_MS = 70_000;

/** An account as returned by the admin API. */
export interface Account {
  readonly credits: {
    readonly granted_ms: number;
    readonly available_ms: number;
    readonly reserved_ms: number;
    readonly consumed_ms: number;
  };
  readonly live_sessions: number;
}

/** Totals that the ledger counted for the sessions of a tenant. */
export interface Usage {
  readonly sessions: number;
  readonly billableMs: number;
}

export interface TenantRequest {
  readonly name: string;
  readonly audioSeconds: number;
  readonly concurrentSessions: number;
}

/** Client for the part of the console's admin API that load tests use. */
export interface Admin {
  /** Creates a tenant and one API key, waits until both are effective, and returns the key. */
  createTenant: (tenant: TenantRequest) => Promise<string>;
  removeTenant: (name: string) => Promise<void>;
  account: (name: string) => Promise<Account>;
  usage: (name: string) => Promise<Usage>;
}

/** Creates a client for the admin API of a service. */
export function createAdmin({ adminUrl, adminToken, caFile }: Target): Admin {
  const ca = caFile === '' ? undefined : readFileSync(caFile, 'utf8');

  async function call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const response = await request(`${adminUrl}/admin/v1${path}`, {
      method,
      token: adminToken,
      timeoutMs: TIMEOUT_MS,
      ...(body !== undefined && { body }),
      ...(ca !== undefined && { ca }),
    });
    if (response.status < 300) return JSON.parse(response.body) as Record<string, unknown>;
    // Only responses to successful requests may contain secrets.
    throw new Error(`${method} ${path} of the admin API returned ${response.status}: ${response.body.slice(0, 300)}`);
  }

  return {
    createTenant: async ({ name, audioSeconds, concurrentSessions }) => {
      const tenant = await call('PUT', `/tenants/${name}`, {
        displayName: 'Load test',
        state: 'Active',
        limits: { concurrentSessions, sessionsPerMinute: 1_000_000, requestsPerMinute: 10_000_000 },
        grants: [{ id: 'loadtest', audioSeconds }],
      });
      const key = await call('POST', '/keys', { tenant: name, name: 'load test' });
      if (tenant.applied !== true || key.active !== true) {
        throw new Error(`the tenant ${name} did not become effective. Check that the operator is running.`);
      }
      return String(key.key);
    },
    removeTenant: async (name) => {
      await call('DELETE', `/tenants/${name}`);
    },
    account: async (name) => (await call('GET', `/tenants/${name}`)).account as Account,
    usage: async (name) => {
      const { data } = (await call('GET', `/tenants/${name}/usage?days=2`)) as {
        data?: { sessions: number; billable_ms: number }[];
      };
      const sum = (of: (day: { sessions: number; billable_ms: number }) => number) =>
        (data ?? []).reduce((total, day) => total + of(day), 0);
      return { sessions: sum((day) => day.sessions), billableMs: sum((day) => day.billable_ms) };
    },
  };
}
