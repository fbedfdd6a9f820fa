import { randomUUID } from 'node:crypto';
import { connectRedis, createLedger } from '@svc-asr/ledger';
import type {
  Ledger,
  LedgerOptions,
  ListedSession,
  Reservation,
  ReserveRequest,
  TenantSettings,
} from '@svc-asr/ledger';
import { connected } from './connected.ts';

/** Opens a ledger with its own key prefix on a running Redis. */
export async function openLedger(url: string, options: Partial<LedgerOptions> = {}): Promise<Ledger> {
  const link = await connected(connectRedis({ url, name: 'test', timeoutMs: 5000 }));
  return createLedger(link, { prefix: `test-${randomUUID()}`, ...options });
}

export const TENANT: TenantSettings = {
  displayName: 'A tenant',
  state: 'Active',
  models: ['*'],
  limits: { concurrentSessions: 1, sessionsPerMinute: 60_000, requestsPerMinute: 60_000 },
};

/** Creates an active tenant with credit. `settings` override those of TENANT. */
export async function createTenant(
  ledger: Ledger,
  creditMs: number,
  settings: Partial<TenantSettings> & { concurrentSessions?: number } = {},
): Promise<string> {
  const { concurrentSessions, ...rest } = settings;
  const tenant = `t-${randomUUID()}`;
  const limits = { ...TENANT.limits, ...rest.limits };
  await ledger.accounts.configure(tenant, {
    ...TENANT,
    ...rest,
    limits: concurrentSessions === undefined ? limits : { ...limits, concurrentSessions },
  });
  if (creditMs !== 0) await ledger.accounts.grant(tenant, 'first', creditMs);
  return tenant;
}

/** Returns the last 20 sessions of a tenant, as the console lists them. */
export async function latestSessions(ledger: Ledger, tenant: string): Promise<ListedSession[]> {
  return (await ledger.sessionHistory.list(tenant, { limit: 20 })).sessions;
}

/** Builds a complete request for a session. */
export function request(tenant: string, changes: Partial<ReserveRequest> = {}): ReserveRequest {
  return {
    tenant,
    sessionId: randomUUID(),
    attempt: randomUUID().slice(0, 8),
    model: 'kikuyu',
    modelExists: true,
    seconds: 60,
    idempotencyKey: undefined,
    secretId: 's1',
    credentialHash: 'hash',
    ...changes,
  };
}

/** Creates a session that is not confirmed yet. Throws if it is refused. */
export async function provisional(ledger: Ledger, asked: ReserveRequest): Promise<Reservation> {
  const result = await ledger.sessions.reserve(asked);
  if (result.outcome !== 'ok') throw new Error(`not reserved: ${result.outcome}`);
  return result.reservation;
}

/** Reserves and confirms a session. Throws if the reservation or the confirmation is refused. */
export async function reserved(
  ledger: Ledger,
  tenant: string,
  changes: Partial<ReserveRequest> = {},
): Promise<Reservation> {
  const reservation = await provisional(ledger, request(tenant, changes));
  if (!(await ledger.sessions.confirm(tenant, reservation))) throw new Error('not confirmed');
  return reservation;
}
