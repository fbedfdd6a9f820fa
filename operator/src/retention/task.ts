import type { ResourceOf } from '@svc-asr/core';
import type { Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { Passes } from '../passes.ts';
import type { Applied } from '../reconcile/applied.ts';
import type { ResourceSource } from '../source/source.ts';
import { isObsolete } from './obsolete.ts';

const INTERVAL_MS = 3_600_000;
/** Delay before the next attempt while the record of applied resources is not loaded, or after a failure. */
const RETRY_MS = 5000;

export interface KeyRetentionOptions {
  apiKeys: Pick<Ledger['apiKeys'], 'find' | 'expireRevoked'>;
  source: Pick<ResourceSource, 'list'>;
  applied: Pick<Applied, 'loaded' | 'names' | 'note'>;
  /** Deletes an ApiKey. Undefined if resources are files, which the operator never writes. */
  deleteKey: ((key: ResourceOf<'ApiKey'>) => Promise<void>) | undefined;
  retentionMs: number;
  logger: Logger;
  /** Milliseconds since 1970. */
  wallMs?: () => number;
}

/**
 * Deletes ApiKeys that have been unusable for the retention time, and lets the records of revoked keys in Redis expire.
 */
export class KeyRetention {
  readonly #options: KeyRetentionOptions;
  readonly #passes = new Passes(() => this.#check());

  constructor(options: KeyRetentionOptions) {
    this.#options = options;
  }

  start(): void {
    this.#passes.start();
  }

  /** Resolves when the current pass has ended. */
  stop(): Promise<void> {
    return this.#passes.stop();
  }

  /** Checks all keys once. The reconcile of a deleted ApiKey revokes the key, and its record in Redis then expires. */
  async runPass(): Promise<void> {
    const { apiKeys, source, applied, deleteKey, retentionMs, logger, wallMs = Date.now } = this.#options;
    const present = new Set(applied.names('ApiKey').map((name) => applied.note('ApiKey', name)));
    await apiKeys.expireRevoked((keyId) => present.has(keyId));
    if (deleteKey === undefined) return;
    for (const key of source.list('ApiKey')) {
      const { tenant, keyId } = key.spec;
      if (!isObsolete(key, await apiKeys.find(keyId), wallMs(), retentionMs)) continue;
      await deleteKey(key);
      logger.info({ tenant, key_id: keyId }, `deleted the ApiKey ${key.metadata.name} after its retention time`);
    }
  }

  async #check(): Promise<number> {
    const { applied, logger } = this.#options;
    try {
      if (!applied.loaded()) return RETRY_MS;
      await this.runPass();
      return INTERVAL_MS;
    } catch (err) {
      logger.debug({ err }, 'keys could not be checked for their retention time');
      return RETRY_MS;
    }
  }
}
