import type { Script } from '../scripts.ts';

/**
 * Thrown if Redis is unavailable, did not answer in time, or replied that it cannot work at present. The command may
 * have been executed or not.
 */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable';
}

/** A Redis node that stores keys: the only server, or a master of a cluster. */
export interface RedisNode {
  /** Sends a command without a key, such as SCAN. */
  send: (command: readonly string[]) => Promise<unknown>;
}

/** Connection to Redis. Each command names one key, which selects the node of a cluster. */
export interface RedisLink {
  /** False if there is no connection, or if the last command failed with LedgerUnavailable. */
  readonly ready: boolean;
  /** Runs a script on one key. Rejects with LedgerUnavailable if the outcome is unknown. */
  run: (script: Script, key: string, args: readonly (string | number)[]) => Promise<unknown>;
  /** Sends a command whose first key is `key`. */
  send: (key: string, command: readonly string[]) => Promise<unknown>;
  /** Returns every node. Rejects with LedgerUnavailable while the nodes of a cluster are changing. */
  nodes: () => Promise<readonly RedisNode[]>;
  close: () => Promise<void>;
}

/** Connection that can also send commands to each server individually. */
export interface RedisConnection extends RedisLink {
  /** Returns the only server, or the known masters of a cluster. Empty before the first connection to the cluster. */
  masters: () => RedisNode[];

  /**
   * Receives the messages of a sharded channel until the returned function is called. It uses a separate connection and
   * subscribes again after an interruption. Messages that are sent during an interruption are lost.
   */
  subscribe: (channel: string, onMessage: (message: string) => void) => Promise<() => Promise<void>>;
}
