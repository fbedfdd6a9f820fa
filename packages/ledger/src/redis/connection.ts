import type { RedisConnection } from './link.ts';

export interface ConnectOptions {
  /**
   * Address of Redis, or several addresses separated by commas for a Redis Cluster. Addresses of Sentinel have the
   * scheme redis+sentinel:// or rediss+sentinel:// and the name of the primary as their path.
   */
  url: string;
  /** Name that CLIENT LIST shows for the connection. */
  name: string;
  /** Timeout of one command. */
  timeoutMs: number;
  logger?: { warn: (fields: object, message: string) => void; info: (fields: object, message: string) => void };
}

/** Sends one command to a server. */
export type SendCommand = (command: string[]) => Promise<unknown>;

/** Connection to one Redis, to the primary that Sentinel names, or to a cluster. */
export interface Connection {
  /** Sends one command to the node that stores `key`. */
  send: (key: string, command: string[]) => Promise<unknown>;
  masters: () => SendCommand[];
  /** Returns one send function per master. Rejects if the masters do not serve every slot. */
  nodes: () => Promise<SendCommand[]>;
  subscribe: RedisConnection['subscribe'];
  isReady: () => boolean;
  /**
   * Called when the server refused a write because it is a replica now. Reconnects if a new connection can lead to the
   * primary.
   */
  onDemoted: () => void;
  close: () => Promise<void>;
}

/**
 * The timeout of the client library is switched off. It covers only commands that are not sent yet, and creates an
 * AbortSignal for each.
 */
export const NO_TIMEOUT = { timeout: 0 };

export const reconnectStrategy = (retries: number) => Math.min(50 * 2 ** retries, 500) + Math.floor(Math.random() * 50);

/**
 * Returns options with which the client detects a vanished server by unanswered pings. Without them, the kernel would
 * take minutes to detect it.
 */
export function liveness({ timeoutMs }: ConnectOptions) {
  const socket = { connectTimeout: timeoutMs, socketTimeout: 3 * timeoutMs, reconnectStrategy };
  return { pingInterval: timeoutMs, commandsQueueMaxLength: 100_000, socket };
}

export type Listener = (message: string) => void;

interface Subscriber {
  sSubscribe: (channel: string, listener: Listener) => Promise<void>;
  sUnsubscribe: (channel: string, listener: Listener) => Promise<void>;
}

export async function subscribe(client: Subscriber, channel: string, listener: Listener): Promise<() => Promise<void>> {
  await client.sSubscribe(channel, listener);
  return () => client.sUnsubscribe(channel, listener);
}

interface Emitter {
  on: (event: 'error' | 'ready', listener: (error?: unknown) => void) => unknown;
}

/** Logs once that the connection was lost, and once that it is back. */
export function watch(client: Emitter, options: ConnectOptions): void {
  const { lost, back } = createReporter(options);
  client.on('error', lost);
  client.on('ready', back);
}

/** Creates functions that log the first failure, and the first success after a failure. */
export function createReporter({ logger, name }: ConnectOptions): { lost: (error: unknown) => void; back: () => void } {
  let down = false;
  return {
    lost: (error) => {
      if (!down) logger?.warn({ err: error, reason: name }, 'Redis is unavailable');
      down = true;
    },
    back: () => {
      if (down) logger?.info({ reason: name }, 'Redis is available again');
      down = false;
    },
  };
}

export async function end(client: { isOpen: boolean; destroy: () => unknown }): Promise<void> {
  if (client.isOpen) await client.destroy();
}
