import { ErrorReply } from 'redis';
import type { Script } from '../scripts.ts';
import { openCluster } from './cluster.ts';
import type { Connection, ConnectOptions } from './connection.ts';
import { LedgerUnavailable } from './link.ts';
import type { RedisConnection, RedisNode } from './link.ts';
import { createReplyPacer } from './reply-pacer.ts';
import { isSentinelAddress } from './sentinel-address.ts';
import { openSentinel } from './sentinel.ts';
import { openSingle } from './single.ts';
import { within } from './within.ts';

/**
 * Number of replies that are delivered in one turn of the event loop. The client writes new commands once per turn.
 * This number is so high that the cost of a write per reply is small.
 */
const REPLIES_PER_TURN = 16;

/**
 * Connects to Redis and reconnects without limit. While there is no connection, commands fail immediately. Commands are
 * never sent twice. A caller that must know the outcome repeats the command. That is safe for all scripts except admit,
 * count_revision and add_refusals, which would count twice.
 */
export function connectRedis(options: ConnectOptions): RedisConnection {
  const connection = open(options);
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
      if (isReadOnly(error)) connection.onDemoted();
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

function open(options: ConnectOptions): Connection {
  const addresses = options.url.split(',').map((address) => address.trim());
  if (addresses.some(isSentinelAddress)) return openSentinel(addresses, options);
  return addresses.length > 1 ? openCluster(addresses, options) : openSingle(addresses[0] ?? '', options);
}

function isReadOnly(error: unknown): boolean {
  return error instanceof ErrorReply && error.message.startsWith('READONLY');
}

/**
 * Error replies of a server that cannot work at present. Any other error reply is thrown unchanged. Its cause is a bug
 * of this project or a wrong configuration, such as missing rights of the Redis user.
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
