import { RedisCluster } from 'redis';
import { end, liveness, NO_TIMEOUT, reconnectStrategy, subscribe, watch } from './connection.ts';
import type { Connection, ConnectOptions } from './connection.ts';
import { findMasters } from './masters.ts';

export function openCluster(addresses: readonly string[], options: ConnectOptions): Connection {
  const { protocol, username, password } = new URL(addresses[0] ?? '');
  const { socket, ...alive } = liveness(options);
  const cluster = new RedisCluster({
    rootNodes: addresses.map((url) => ({ url })),
    RESP: 2,
    commandOptions: NO_TIMEOUT,
    defaults: {
      name: options.name,
      disableOfflineQueue: true,
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
      ...alive,
      // The option `tls` is for nodes that the cluster announces. For root nodes, the scheme of their address decides.
      socket: protocol === 'rediss:' ? { ...socket, tls: true } : socket,
    },
  });
  const state = { connected: false, closing: false };
  watch(cluster, options);
  void (async () => {
    // Unlike a client for a single server, a cluster client fails if no root node answers. The loop connects again.
    for (let attempts = 0; !state.connected && !state.closing; attempts++) {
      try {
        await cluster.connect();
        state.connected = true;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, reconnectStrategy(attempts)));
      }
    }
  })();
  const close = async () => {
    state.closing = true;
    if (state.connected) await end(cluster);
  };
  const senderTo = (node: (typeof cluster.masters)[number]) => async (command: string[]) =>
    (await cluster.nodeClient(node)).sendCommand(command);
  return {
    send: (key, command) => cluster.sendCommand(key, false, command),
    masters: () => cluster.masters.map(senderTo),
    nodes: async () => {
      const slots = await cluster.sendCommand(undefined, true, ['CLUSTER', 'SLOTS']);
      return findMasters(slots, cluster.masters).map(senderTo);
    },
    // The cluster client itself opens separate connections for subscriptions.
    subscribe: (channel, onMessage) => subscribe(cluster, channel, onMessage),
    isReady: () => state.connected,
    // Does nothing, because a former master answers with redirections, which the cluster client follows.
    onDemoted: () => undefined,
    close,
  };
}
