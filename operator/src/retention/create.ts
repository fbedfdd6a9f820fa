import { TYPES } from '@svc-asr/kubernetes';
import type { Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import type { Cluster } from '../kubernetes/cluster.ts';
import { withLedgerGuard } from '../ledger/guard.ts';
import type { LedgerGuard } from '../ledger/guard.ts';
import type { Applied } from '../reconcile/applied.ts';
import type { OperatorSettings } from '../settings.ts';
import type { ResourceSource } from '../source/source.ts';
import { KeyRetention } from './task.ts';

const DAY_MS = 86_400_000;

export interface KeyRetentionParts {
  settings: Pick<OperatorSettings, 'KEY_RETENTION_DAYS'>;
  /** Undefined if resources come from files. */
  cluster: Cluster | undefined;
  ledger: Ledger;
  guard: LedgerGuard;
  source: ResourceSource;
  applied: Applied;
  logger: Logger;
}

/** Creates the task that deletes keys after their retention time. */
export function createKeyRetention(parts: KeyRetentionParts): KeyRetention {
  const { settings, cluster, ledger, guard, source, applied, logger } = parts;
  const { apiKeys } = ledger;
  return new KeyRetention({
    apiKeys: withLedgerGuard(guard, {
      find: (keyId: string) => apiKeys.find(keyId),
      expireRevoked: (hasResource: (keyId: string) => boolean) => apiKeys.expireRevoked(hasResource),
    }),
    source,
    applied,
    deleteKey:
      cluster &&
      (({ metadata: { name, uid } }) => cluster.api.delete(TYPES.ApiKey, name, uid === undefined ? {} : { uid })),
    retentionMs: settings.KEY_RETENTION_DAYS * DAY_MS,
    logger,
  });
}
