import { randomUUID } from 'node:crypto';
import { connectRedis, createLedger } from '@svc-asr/ledger';
import type { Ledger, LedgerOptions, Reservation, ReserveRequest, TenantSettings } from '@svc-asr/ledger';
import { connected } from './connected.ts';

/** A ledger with keys of its own on a running Redis. */
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

/** An active tenant with credit; `settings` change what TENANT says. */
export async function makeTenant(
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

/** A request for a session with everything filled in. */
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

/** Makes a session that is still to be confirmed, or throws with the outcome. */
export async function provisional(ledger: Ledger, asked: ReserveRequest): Promise<Reservation> {
  const result = await ledger.sessions.reserve(asked);
  if (result.outcome !== 'ok') throw new Error(`not reserved: ${result.outcome}`);
  return result.reservation;
}

/** Reserves and confirms, or throws with the outcome. */
export async function reserved(
  ledger: Ledger,
  tenant: string,
  changes: Partial<ReserveRequest> = {},
): Promise<Reservation> {
  const reservation = await provisional(ledger, request(tenant, changes));
  if (!(await ledger.sessions.confirm(tenant, reservation))) throw new Error('not confirmed');
  return reservation;
}
