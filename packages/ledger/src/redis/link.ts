import type { Script } from '../scripts.ts';

/** Redis did not answer in time, is away, or refused to work: whether the command was carried out is not known. */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable';
}

/** What the ledger needs of a Redis connection; every command names one key, by which a cluster finds its node. */
export interface RedisLink {
  /** False while there is no connection, or the last command had no answer. */
  readonly ready: boolean;
  /** Runs a script on one key. Rejects with LedgerUnavailable when the outcome is unknown. */
  run: (script: Script, key: string, args: readonly (string | number)[]) => Promise<unknown>;
  /** Sends a plain command whose first key is `key`. */
  send: (key: string, command: readonly string[]) => Promise<unknown>;
  close: () => Promise<void>;
}
