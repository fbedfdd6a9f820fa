import { end } from './connection.ts';
import type { ConnectOptions } from './connection.ts';
import { LedgerUnavailable } from './link.ts';
import { createNodeClient } from './node-client.ts';
import type { NodeClient } from './node-client.ts';
import type { SentinelUrl, ServerAddress } from './sentinel-address.ts';
import { within } from './within.ts';

export interface Sentinels {
  /** Returns the primary of the newest configuration that a sentinel reports. Rejects if no sentinel answers. */
  findPrimary: () => Promise<ServerAddress>;
  close: () => Promise<void>;
}

/** The primary as a sentinel reports it. The configuration with the highest epoch is the newest one. */
interface Reported {
  address: ServerAddress;
  epoch: number;
}

interface Sentinel {
  client: NodeClient;
  /** Resolves when the client is connected for the first time, or has stopped trying. */
  started: Promise<unknown>;
  /** Pending reply of the sentinel to the last query. Undefined if it has arrived, or if its connection has ended. */
  pending: Promise<[unknown, unknown]> | undefined;
}

/**
 * Connects to all sentinels. All of them are asked, because a sentinel that was partitioned may report a former
 * primary.
 */
export function connectSentinels(url: SentinelUrl, options: ConnectOptions): Sentinels {
  const sentinels = url.sentinels.map((address): Sentinel => {
    const node = { address, user: url.sentinelUser, tls: url.tls, reconnects: true };
    const client = createNodeClient(node, options);
    return { client, started: client.connect().catch(() => undefined), pending: undefined };
  });

  async function ask(sentinel: Sentinel): Promise<Reported> {
    await within(sentinel.started, options.timeoutMs);
    // Another question would restart the idle timeout of the connection. That timeout must expire, so that the
    // connection to a sentinel that does not answer is replaced.
    if (sentinel.pending !== undefined) throw new LedgerUnavailable('the sentinel has not answered the last question');
    const { client } = sentinel;
    sentinel.pending = Promise.all([
      client.sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', url.primaryName]),
      client.sendCommand(['SENTINEL', 'MASTER', url.primaryName]),
    ]).finally(() => (sentinel.pending = undefined));
    const [address, fields] = await within(sentinel.pending, options.timeoutMs);
    return buildReported(address, fields);
  }

  return {
    findPrimary: async () => {
      const answers = await Promise.allSettled(sentinels.map(ask));
      const reported = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
      const [newest] = reported.toSorted((a, b) => b.epoch - a.epoch);
      if (newest !== undefined) return newest.address;
      const reasons = answers.map((answer) => (answer.status === 'rejected' ? String(answer.reason) : ''));
      throw new LedgerUnavailable(`no sentinel reported the primary ${url.primaryName}: ${reasons.join('; ')}`);
    },
    close: async () => {
      await Promise.all(sentinels.map(({ client }) => end(client)));
    },
  };
}

/** Reads the replies of GET-MASTER-ADDR-BY-NAME, [host, port], and of MASTER, a list of names and values. */
function buildReported(address: unknown, fields: unknown): Reported {
  const [host = '', port] = address as string[];
  const values = fields as string[];
  return { address: { host, port: Number(port) }, epoch: Number(values[values.indexOf('config-epoch') + 1]) };
}
