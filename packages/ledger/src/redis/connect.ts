import { ErrorReply, RedisClient, RedisCluster } from 'redis';
import type { Script } from '../scripts.ts';
import { LedgerUnavailable } from './link.ts';
import { findMasters } from './masters.ts';
import type { RedisConnection, RedisNode } from './link.ts';
import { createReplyPacer } from './reply-pacer.ts';
import { within } from './within.ts';

export interface ConnectOptions {
  /** Address of Redis, or several addresses separated by commas for a Redis Cluster. */
  url: string;
  /** Name that CLIENT LIST shows for the connection. */
  name: string;
  /** Timeout of one command. */
  timeoutMs: number;
  logger?: { warn: (fields: object, message: string) => void; info: (fields: object, message: string) => void };
}

/**
 * Number of replies that are delivered in one turn of the event loop. It is high enough that writing the next commands
 * costs little per reply.
 */
const REPLIES_PER_TURN = 16;

/** Sends one command to the node that stores `key`. */
type Send = (key: string, command: string[]) => Promise<unknown>;

interface Connection {
  send: Send;
  masters: () => ((command: string[]) => Promise<unknown>)[];
  /** Returns a function for each master that sends a command to it. Rejects if the masters do not serve every slot. */
  nodes: () => Promise<((command: string[]) => Promise<unknown>)[]>;
  subscribe: RedisConnection['subscribe'];
  isReady: () => boolean;
  close: () => Promise<void>;
}

/**
 * Connects to Redis and reconnects without limit. While there is no connection, commands fail immediately. Commands are
 * never sent twice. A caller that must know the outcome repeats the command, which is safe for every script.
 */
export function connectRedis(options: ConnectOptions): RedisConnection {
  const addresses = options.url.split(',').map((address) => address.trim());
  const connection = addresses.length > 1 ? openCluster(addresses, options) : openSingle(addresses[0] ?? '', options);

  const pacer = createReplyPacer(REPLIES_PER_TURN);
  let answering = true;
  const send = (key: string, command: readonly string[]) => settle(() => connection.send(key, [...command]));
  async function settle<T>(start: () => Promise<T>): Promise<T> {
    if (!connection.isReady()) throw new LedgerUnavailable('there is no connection to Redis');
    try {
      const reply = await within(start(), options.timeoutMs, pacer);
      answering = true;
      return reply;
    } catch (error) {
      const translated = translate(error);
      answering = !(translated instanceof LedgerUnavailable);
      throw translated;
    }
  }

  async function run(script: Script, key: string, args: readonly (string | number)[]): Promise<unknown> {
    const rest = ['1', key, ...args.map(String)];
    try {
      return await send(key, ['EVALSHA', script.sha1, ...rest]);
    } catch (error) {
      if (!(error instanceof ErrorReply) || !error.message.startsWith('NOSCRIPT')) throw error;
      return await send(key, ['EVAL', script.source, ...rest]);
    }
  }

  const nodeOf = (sendTo: (command: string[]) => Promise<unknown>): RedisNode => ({
    send: (command) => settle(() => sendTo([...command])),
  });

  return {
    get ready() {
      return connection.isReady() && answering;
    },
    run,
    send,
    masters: () => connection.masters().map(nodeOf),
    nodes: async () => (await settle(connection.nodes)).map(nodeOf),
    subscribe: connection.subscribe,
    close: connection.close,
  };
}

/**
 * Error replies of a server that cannot work at present. Any other error reply is a bug of this project and is thrown
 * unchanged.
 */
const NOT_NOW =
  /^(OOM|LOADING|MISCONF|READONLY|MASTERDOWN|CLUSTERDOWN|NOREPLICAS|BUSY|TRYAGAIN|UNBLOCKED)\b|-?(OOM|MISCONF) /;

function translate(error: unknown): unknown {
  if (error instanceof LedgerUnavailable) return error;
  if (error instanceof ErrorReply) {
    return NOT_NOW.test(error.message) ? new LedgerUnavailable(error.message, { cause: error }) : error;
  }
  const message = error instanceof Error ? error.message : String(error);
  return new LedgerUnavailable(`Redis did not answer: ${message}`, { cause: error });
}

/**
 * The timeout of the client library is switched off. It covers only commands that are not sent yet, and creates an
 * AbortSignal for each.
 */
const NO_TIMEOUT = { timeout: 0 };

const reconnectStrategy = (retries: number) => Math.min(50 * 2 ** retries, 500) + Math.floor(Math.random() * 50);

/** Options by which the client detects a vanished server through unanswered pings. The kernel would take minutes. */
function liveness({ timeoutMs }: ConnectOptions) {
  const socket = { connectTimeout: timeoutMs, socketTimeout: 3 * timeoutMs, reconnectStrategy };
  return { pingInterval: timeoutMs, commandsQueueMaxLength: 100_000, socket };
}

function openSingle(url: string, options: ConnectOptions): Connection {
  const start = (disableOfflineQueue: boolean) => {
    const basics = { url, name: options.name, RESP: 2 as const, commandOptions: NO_TIMEOUT };
    // This base class only sends commands. `createClient` would define a class with one method per command at each
    // call.
    const client = new RedisClient({ ...basics, disableOfflineQueue, ...liveness(options) });
    watch(client, options);
    void client.connect().catch(() => undefined);
    return client;
  };
  const client = start(true);
  // A connection with subscriptions cannot send other commands, so subscriptions use a second client. Its subscriptions
  // wait until it is connected.
  let subscriber: typeof client | undefined;
  return {
    send: (_key, command) => client.sendCommand(command),
    masters: () => [(command) => client.sendCommand(command)],
    nodes: () => Promise.resolve([(command) => client.sendCommand(command)]),
    subscribe: (channel, onMessage) => subscribe((subscriber ??= start(false)), channel, onMessage),
    isReady: () => client.isReady,
    close: async () => {
      await end(client);
      if (subscriber !== undefined) await end(subscriber);
    },
  };
}

function openCluster(addresses: readonly string[], options: ConnectOptions): Connection {
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
      // The client uses this for nodes that the cluster announces. For root nodes it uses the scheme of their address.
      socket: protocol === 'rediss:' ? { ...socket, tls: true } : socket,
    },
  });
  const state = { connected: false, closing: false };
  watch(cluster, options);
  void (async () => {
    // Unlike a client for a single server, a cluster client fails if no root node answers. The loop tries it again.
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
    close,
  };
}

type Listener = (message: string) => void;

interface Subscriber {
  sSubscribe: (channel: string, listener: Listener) => Promise<void>;
  sUnsubscribe: (channel: string, listener: Listener) => Promise<void>;
}

async function subscribe(client: Subscriber, channel: string, listener: Listener): Promise<() => Promise<void>> {
  await client.sSubscribe(channel, listener);
  return () => client.sUnsubscribe(channel, listener);
}

interface Emitter {
  on: (event: 'error' | 'ready', listener: (error?: unknown) => void) => unknown;
}

/** Logs once that the connection was lost, and once that it is back. */
function watch(client: Emitter, { logger, name }: ConnectOptions): void {
  let down = false;
  client.on('error', (error) => {
    if (!down) logger?.warn({ err: error, reason: name }, 'Redis is unavailable');
    down = true;
  });
  client.on('ready', () => {
    if (down) logger?.info({ reason: name }, 'Redis is available again');
    down = false;
  });
}

async function end(client: { isOpen: boolean; destroy: () => unknown }): Promise<void> {
  if (client.isOpen) await client.destroy();
}
