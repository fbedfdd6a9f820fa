import { ErrorReply } from 'redis';
import type { Connection, ConnectOptions, Listener } from './connection.ts';
import type { RedisConnection } from './link.ts';
import { PrimaryClient } from './primary-client.ts';
import type { PrimaryClientOptions } from './primary-client.ts';
import { parseSentinelUrl } from './sentinel-address.ts';
import { connectSentinels } from './sentinels.ts';

/**
 * Opens a connection to the primary of a Redis with Sentinel. The Sentinel client of the library is not used, because
 * it sends a command again after a failover, even if the caller has stopped waiting. It also delays commands while
 * there is no primary.
 */
export function openSentinel(addresses: readonly string[], options: ConnectOptions): Connection {
  const url = parseSentinelUrl(addresses);
  const sentinels = connectSentinels(url, options);
  const parts = { url, sentinels, options };
  const primary = new PrimaryClient(parts);
  // A connection with subscriptions cannot send other commands, so subscriptions use a second client.
  let subscriber: Subscriber | undefined;
  return {
    send: (_key, command) => primary.send(command),
    masters: () => [(command) => primary.send(command)],
    nodes: () => Promise.resolve([(command) => primary.send(command)]),
    subscribe: (channel, listener) => (subscriber ??= createSubscriber(parts)).subscribe(channel, listener),
    isReady: () => primary.isReady,
    onDemoted: () => primary.reconnect(),
    close: async () => {
      primary.close();
      subscriber?.close();
      await sentinels.close();
    },
  };
}

/** Throws the error, unless Redis itself refused the command. */
function ignoreDenied(error: unknown): void {
  if (!(error instanceof ErrorReply)) throw error;
}

interface Subscriber {
  subscribe: RedisConnection['subscribe'];
  close: () => void;
}

function createSubscriber(parts: PrimaryClientOptions): Subscriber {
  const listeners = new Map<string, Set<Listener>>();
  const primary = new PrimaryClient({
    ...parts,
    onOpen: async (client) => {
      for (const channel of listeners.keys()) {
        // A denied channel must not end the connection. The function `add` below gets the same error and throws it.
        await client.sSubscribe(channel, deliver).catch(ignoreDenied);
      }
    },
  });

  /**
   * Calls the listeners of a channel. A listener that was removed while the connection was replaced gets no message.
   */
  function deliver(message: string, channel: string): void {
    for (const listener of listeners.get(channel) ?? []) listener(message);
  }

  function remove(channel: string, listener: Listener): void {
    listeners.get(channel)?.delete(listener);
    if (listeners.get(channel)?.size === 0) listeners.delete(channel);
  }

  /** Subscribes on the current connection, or on the next one if the current connection ends meanwhile. */
  async function add(channel: string): Promise<void> {
    for (;;) {
      const client = await primary.connected();
      try {
        await client.sSubscribe(channel, deliver);
        return;
      } catch (error) {
        if (error instanceof ErrorReply) throw error;
      }
    }
  }

  return {
    subscribe: async (channel, listener) => {
      listeners.set(channel, (listeners.get(channel) ?? new Set()).add(listener));
      try {
        await add(channel);
      } catch (error) {
        remove(channel, listener);
        throw error;
      }
      return async () => {
        remove(channel, listener);
        // If the connection has ended, its subscriptions have ended too.
        if (listeners.has(channel) || !primary.isReady) return;
        await (await primary.connected()).sUnsubscribe(channel, deliver).catch(() => undefined);
      };
    },
    close: () => primary.close(),
  };
}
