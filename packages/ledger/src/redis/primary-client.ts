import { setTimeout as sleep } from 'node:timers/promises';
import { createReporter, reconnectStrategy } from './connection.ts';
import type { ConnectOptions } from './connection.ts';
import { LedgerUnavailable } from './link.ts';
import { createNodeClient } from './node-client.ts';
import type { NodeClient } from './node-client.ts';
import type { SentinelUrl, ServerAddress } from './sentinel-address.ts';
import type { Sentinels } from './sentinels.ts';
import { within } from './within.ts';

export interface PrimaryClientOptions {
  url: SentinelUrl;
  sentinels: Sentinels;
  options: ConnectOptions;
  /** Called with each new client before it is used. */
  onOpen?: (client: NodeClient) => Promise<void>;
}

/**
 * Client of the primary that the sentinels report. A client of the Redis library always connects to the same address,
 * so each new connection gets a new client. A server is used only if it reports that it is a primary.
 */
export class PrimaryClient {
  readonly #parts: PrimaryClientOptions;
  readonly #closing = new AbortController();
  #client: NodeClient | undefined;
  #waiters: (() => void)[] = [];

  constructor(parts: PrimaryClientOptions) {
    this.#parts = parts;
    void this.#follow();
  }

  get isReady(): boolean {
    return this.#client?.isReady === true;
  }

  async send(command: string[]): Promise<unknown> {
    if (this.#client === undefined) throw new LedgerUnavailable('there is no connection to the primary');
    return this.#client.sendCommand(command);
  }

  /** Resolves with the client when it is connected. Rejects after `close`. */
  async connected(): Promise<NodeClient> {
    while (this.#client?.isReady !== true) {
      if (this.#isClosed()) throw new LedgerUnavailable('the connection was closed');
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
    return this.#client;
  }

  /** Closes the connection and asks the sentinels for the primary again. */
  reconnect(): void {
    // This also ends the timers of a client whose connection has ended.
    this.#client?.destroy();
  }

  close(): void {
    this.#closing.abort();
    this.#wake();
    this.reconnect();
  }

  #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    const { lost, back } = createReporter(this.#parts.options);
    let attempts = 0;
    const onOpen = () => {
      attempts = 0;
      back();
    };
    while (!this.#isClosed()) {
      const error = await this.#use(onOpen);
      if (!this.#isClosed()) lost(error);
      this.reconnect();
      this.#client = undefined;
      await sleep(reconnectStrategy(attempts++), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Connects to the primary once. Resolves with the reason why the connection has failed or ended. */
  async #use(onOpen: () => void): Promise<unknown> {
    try {
      const address = await this.#parts.sentinels.findPrimary();
      const client = await this.#open(address);
      onOpen();
      await this.#stay(client, address);
      return new LedgerUnavailable(`the connection to the primary ${address.host}:${address.port} ended`);
    } catch (error) {
      return error;
    }
  }

  async #open({ host, port }: ServerAddress): Promise<NodeClient> {
    const { url, options, onOpen } = this.#parts;
    const node = { address: { host, port }, user: url.user, tls: url.tls, reconnects: false };
    const client = createNodeClient(node, options);
    try {
      await within(client.connect(), options.timeoutMs);
      const hello = (await within(client.sendCommand(['HELLO']), options.timeoutMs)) as unknown[];
      const role = hello[hello.indexOf('role') + 1];
      if (role !== 'master') throw new LedgerUnavailable(`${host}:${port} is not the primary yet`);
      await onOpen?.(client);
      if (this.#isClosed()) throw new LedgerUnavailable('the connection was closed');
    } catch (error) {
      client.destroy();
      throw error;
    }
    this.#client = client;
    this.#wake();
    return client;
  }

  /** Resolves when the connection has ended, or when the sentinels report another primary. */
  async #stay(client: NodeClient, address: ServerAddress): Promise<void> {
    const { sentinels, options } = this.#parts;
    const { signal } = this.#closing;
    const ended = new Promise<void>((resolve) => {
      client.once('end', resolve);
      client.once('terminated', () => resolve());
    });
    for (;;) {
      await Promise.race([ended, sleep(options.timeoutMs, undefined, { signal }).catch(() => undefined)]);
      if (!client.isReady) return;
      // The connection stays open while no sentinel answers.
      const reported = await sentinels.findPrimary().catch(() => address);
      if (reported.host !== address.host || reported.port !== address.port) return;
    }
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}
