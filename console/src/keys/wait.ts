import type { ApiKey } from '@svc-asr/core';
import type { LedgerView } from '../ledger-view.ts';
import { pollUntil } from '../poll.ts';
import type { PollOptions } from '../poll.ts';

/**
 * Waits until gateways accept the key, which requires that Redis contains the key and the account of its tenant.
 * Returns false on timeout.
 */
export function waitUntilKeyActive(ledger: LedgerView, { spec }: ApiKey, polling: PollOptions): Promise<boolean> {
  return pollUntil(async () => {
    const record = await ledger.apiKeys.find(spec.keyId);
    if (record === undefined || record.revoked || record.hash !== spec.hash) return false;
    const account = await ledger.accounts.read(spec.tenant);
    return account !== undefined && account.state !== 'Deleted';
  }, polling);
}

/**
 * Waits until the ledger lists the key as revoked, or does not contain it. Gateways reject the key after their caches
 * have expired. Returns false on timeout.
 */
export function waitUntilKeyRevoked(ledger: LedgerView, keyId: string, polling: PollOptions): Promise<boolean> {
  return pollUntil(async () => (await ledger.apiKeys.find(keyId))?.revoked ?? true, polling);
}
