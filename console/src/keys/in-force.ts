import type { ApiKey } from '@svc-asr/core';
import type { LedgerView } from '../ledger-view.ts';
import { pollUntil } from '../poll.ts';
import type { Patience } from '../poll.ts';

/** Waits until gateways would accept a key: they find it, and the account it belongs to. */
export function keyInForce(ledger: LedgerView, { spec }: ApiKey, patience: Patience): Promise<boolean> {
  return pollUntil(async () => {
    const record = await ledger.apiKeys.find(spec.keyId);
    if (record === undefined || record.revoked || record.hash !== spec.hash) return false;
    const account = await ledger.accounts.read(spec.tenant);
    return account !== undefined && account.state !== 'Deleted';
  }, patience);
}

/** Waits until gateways would refuse a key. */
export function keyRevoked(ledger: LedgerView, keyId: string, patience: Patience): Promise<boolean> {
  return pollUntil(async () => (await ledger.apiKeys.find(keyId))?.revoked ?? true, patience);
}
