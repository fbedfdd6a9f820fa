import { RedisClient } from 'redis';
import { end, liveness, NO_TIMEOUT, subscribe, watch } from './connection.ts';
import type { Connection, ConnectOptions } from './connection.ts';

export function openSingle(url: string, options: ConnectOptions): Connection {
  const start = (disableOfflineQueue: boolean) => {
    const basics = { url, name: options.name, RESP: 2 as const, commandOptions: NO_TIMEOUT };
    // This base class can send every command. `createClient` would also define a class with one method per command at
    // each call, and none of these methods is used.
    const client = new RedisClient({ ...basics, disableOfflineQueue, ...liveness(options) });
    watch(client, options);
    void client.connect().catch(() => undefined);
    return client;
  };
  let client = start(true);
  let startedMs = performance.now();
  // A connection with subscriptions cannot send other commands, so subscriptions use a second client. Its subscriptions
  // wait until it is connected.
  let subscriber: typeof client | undefined;
  return {
    send: (_key, command) => client.sendCommand(command),
    masters: () => [(command) => client.sendCommand(command)],
    nodes: () => Promise.resolve([(command) => client.sendCommand(command)]),
    subscribe: (channel, onMessage) => subscribe((subscriber ??= start(false)), channel, onMessage),
    isReady: () => client.isReady,
    onDemoted: () => {
      // The host name of a managed Redis leads to another server after a failover, but the connection stays open. The
      // connection of the subscriber may stay open, because a replica delivers the messages of its primary.
      const nowMs = performance.now();
      if (!client.isReady || nowMs - startedMs < options.timeoutMs) return;
      startedMs = nowMs;
      const old = client;
      client = start(true);
      void end(old);
    },
    close: async () => {
      await end(client);
      if (subscriber !== undefined) await end(subscriber);
    },
  };
}
