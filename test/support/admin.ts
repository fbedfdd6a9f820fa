import { randomBytes } from 'node:crypto';
import { strict as assert } from 'node:assert';
import type { KeyScope, TenantLimits, TenantState } from '@svc-asr/core';
import { send } from './answer.ts';
import type { Answer } from './answer.ts';
import { eventually } from './eventually.ts';
import { keyIdOf } from './key.ts';

export interface TenantRequest {
  /** Credit to grant, in seconds of audio. */
  seconds?: number;
  /** Monthly budget, in seconds of audio. */
  budgetSeconds?: number;
  state?: TenantState;
  models?: string[];
  /** Limits. The defaults are higher than any test reaches. */
  limits?: Partial<TenantLimits>;
}

/** A tenant with a valid API key. */
export interface TestTenant {
  readonly name: string;
  readonly key: string;
}

export interface KeyOptions {
  expires_at?: string;
  scopes?: readonly KeyScope[];
  models?: readonly string[];
}

/**
 * An account as the admin API returns it. Unlike GET /v1/usage, a request to the admin API does not count as a request
 * of the tenant.
 */
export interface AccountView {
  state: string;
  credits: { granted_ms: number; available_ms: number; reserved_ms: number; consumed_ms: number };
  live_sessions: number;
}

export interface Admin {
  call: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Creates a tenant with a key. Resolves when both are applied. */
  tenant: (request?: TenantRequest) => Promise<TestTenant>;
  /**
   * Replaces the specification of a tenant. Missing fields get their defaults. Credit that was already granted stays in
   * the account.
   */
  change: (name: string, request: TenantRequest) => Promise<void>;
  key: (tenant: string, options?: KeyOptions) => Promise<string>;
  revoke: (key: string) => Promise<void>;
  account: (tenant: string) => Promise<AccountView>;
}

const GENEROUS: TenantLimits = { concurrentSessions: 1000, sessionsPerMinute: 100_000, requestsPerMinute: 1_000_000 };
const APPLIED_WITHIN_MS = 30_000;

/** Creates a client for the admin API of a running service. `ca` is the CA certificate (PEM) of an https URL. */
export function createAdmin(url: string, token: string, ca?: string): Admin {
  async function call(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return send(`${url}/admin/v1${path}`, { method, headers, body, ...(ca !== undefined && { ca }) });
  }

  async function ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const answer = await call(method, path, body);
    assert.ok(answer.status < 300, `${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.body as Record<string, unknown>;
  }

  async function account(tenant: string): Promise<AccountView> {
    // The account is null while the console cannot read Redis.
    return eventually(`the account of ${tenant}`, APPLIED_WITHIN_MS, async () => {
      return ((await ask('GET', `/tenants/${tenant}`)).account as AccountView | null) ?? undefined;
    });
  }

  async function write(name: string, request: TenantRequest): Promise<void> {
    const { seconds = 0, budgetSeconds, state = 'Active', models = ['*'], limits } = request;
    const written = await ask('PUT', `/tenants/${name}`, {
      displayName: `Tenant ${name}`,
      state,
      models,
      limits: { ...GENEROUS, ...limits },
      ...(budgetSeconds !== undefined && { budget: { monthlyAudioSeconds: budgetSeconds } }),
      grants: seconds === 0 ? [] : [{ id: 'first', audioSeconds: seconds }],
    });
    assert.equal(written.applied, true, `the tenant ${name} is not applied`);
  }

  async function key(tenant: string, options: KeyOptions = {}): Promise<string> {
    const created = await ask('POST', '/keys', { tenant, ...options });
    assert.equal(created.active, true, `the key of ${tenant} is not in force`);
    return String(created.key);
  }

  return {
    call,
    account,
    key,
    change: write,
    tenant: async (request = {}) => {
      const name = `t-${randomBytes(6).toString('hex')}`;
      const { seconds = 3600, budgetSeconds = 0 } = request;
      await write(name, { ...request, seconds });
      const created = { name, key: await key(name) };
      await eventually(`the credit of ${name}`, APPLIED_WITHIN_MS, async () => {
        return (await account(name)).credits.granted_ms === (seconds + budgetSeconds) * 1000;
      });
      return created;
    },
    revoke: async (revoked) => {
      await ask('DELETE', `/keys/${keyIdOf(revoked)}`);
    },
  };
}
