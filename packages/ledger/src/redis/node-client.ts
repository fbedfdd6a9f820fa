import { RedisClient } from 'redis';
import { liveness, NO_TIMEOUT, reconnectStrategy } from './connection.ts';
import type { ConnectOptions } from './connection.ts';
import type { ServerAddress, User } from './sentinel-address.ts';

export type NodeClient = ReturnType<typeof createNodeClient>;

export interface NodeOptions {
  address: ServerAddress;
  user: User;
  tls: boolean;
  /** True if the client reconnects. False if it ends when its first connection has ended. */
  reconnects: boolean;
}

/** Creates a client for one server of a Redis with Sentinel. It connects when `connect` is called. */
export function createNodeClient({ address, user, tls, reconnects }: NodeOptions, options: ConnectOptions) {
  const { socket, ...alive } = liveness(options);
  const client = new RedisClient({
    ...user,
    name: options.name,
    RESP: 2,
    commandOptions: NO_TIMEOUT,
    disableOfflineQueue: true,
    ...alive,
    socket: {
      ...socket,
      ...address,
      ...(tls && { tls: true as const }),
      reconnectStrategy: reconnects ? reconnectStrategy : false,
    },
  });
  // The client throws errors that have no listener. Callers learn of errors from rejected commands.
  client.on('error', () => undefined);
  return client;
}
