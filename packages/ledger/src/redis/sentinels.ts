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

/** Connects to all sentinels. They are asked together, because one that was partitioned may report a former primary. */
export function connectSentinels(url: SentinelUrl, options: ConnectOptions): Sentinels {
  const clients = url.sentinels.map((address) => {
    const node = { address, user: url.sentinelUser, tls: url.tls, reconnects: true };
    const client = createNodeClient(node, options);
    void client.connect().catch(() => undefined);
    return client;
  });

  async function ask(client: NodeClient): Promise<Reported> {
    const replies = Promise.all([
      client.sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', url.primaryName]),
      client.sendCommand(['SENTINEL', 'MASTER', url.primaryName]),
    ]);
    const [address, fields] = await within(replies, options.timeoutMs);
    return buildReported(address, fields);
  }

  return {
    findPrimary: async () => {
      const answers = await Promise.allSettled(clients.map(ask));
      const reported = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
      const [newest] = reported.toSorted((a, b) => b.epoch - a.epoch);
      if (newest !== undefined) return newest.address;
      const reasons = answers.map((answer) => (answer.status === 'rejected' ? String(answer.reason) : ''));
      throw new LedgerUnavailable(`no sentinel reported the primary ${url.primaryName}: ${reasons.join('; ')}`);
    },
    close: async () => {
      await Promise.all(clients.map(end));
    },
  };
}

/** Reads the replies of GET-MASTER-ADDR-BY-NAME, [host, port], and of MASTER, a list of names and values. */
function buildReported(address: unknown, fields: unknown): Reported {
  const [host = '', port] = address as string[];
  const values = fields as string[];
  return { address: { host, port: Number(port) }, epoch: Number(values[values.indexOf('config-epoch') + 1]) };
}
