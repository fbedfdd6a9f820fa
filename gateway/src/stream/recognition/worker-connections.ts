import type { PlacedWorker } from '@svc-asr/ledger';
import type { LossOutcome } from './connection-resume.ts';
import type { ChannelEvents, ChannelRequest, WorkerChannel } from './worker-channel.ts';
import { WorkerConnection } from './worker-connection.ts';

/** Time for which a connection without streams stays open. */
const IDLE_MS = 10_000;
/**
 * Time after which a connection takes no new streams. Streams then use a new connection, which verifies the certificate
 * of the worker again.
 */
const MAX_AGE_MS = 600_000;

interface Entry {
  readonly connection: WorkerConnection;
  readonly createdAtMs: number;
  /** CA with which the certificate of the worker was verified. */
  readonly ca: string;
  idleTimer?: NodeJS.Timeout;
}

/**
 * The connections of this gateway to workers. For each address and model, at most one connection takes new streams. A
 * connection is opened for its first stream, and closed when it has had no stream for IDLE_MS. Streams of different
 * models never share a connection, because the certificate of a worker is for one model only.
 */
export class WorkerConnections {
  readonly #entries = new Map<string, Entry>();
  /** All connections that are not closed, with their addresses. Some of them take no new streams any more. */
  readonly #open = new Map<WorkerConnection, string>();
  readonly #onLossSettled: (outcome: LossOutcome) => void;

  /** `onLossSettled` is called when a lost connection was resumed or could not be resumed. */
  constructor(onLossSettled: (outcome: LossOutcome) => void = () => undefined) {
    this.#onLossSettled = onLossSettled;
  }

  /** Number of connections that are not closed. */
  get size(): number {
    return this.#open.size;
  }

  /**
   * Returns one of the addresses of a worker. Each I/O thread of the worker has its own address. Returns `previous` if
   * it is one of these addresses. Otherwise returns the address with the fewest streams of this gateway. If several
   * addresses have equally few streams, chooses one at random, so that several gateways together use all addresses.
   */
  pickAddress(
    { address, furtherAddresses = [] }: Pick<PlacedWorker, 'address' | 'furtherAddresses'>,
    previous?: string,
  ): string {
    const streams = new Map([address, ...furtherAddresses].map((one) => [one, Math.random()]));
    if (previous !== undefined && streams.has(previous)) return previous;
    for (const [{ size }, used] of this.#open) {
      const before = streams.get(used);
      if (before !== undefined) streams.set(used, before + size);
    }
    const [[fewest] = [address]] = [...streams].sort(([, one], [, other]) => one - other);
    return fewest;
  }

  /** Opens a stream at a worker. */
  open(request: ChannelRequest, events: ChannelEvents): WorkerChannel {
    const { connection, idleTimer } = this.#find(request, performance.now());
    clearTimeout(idleTimer);
    return connection.open(request, events);
  }

  /** Uses a new connection for later streams. Call when a worker did not answer on the current one. */
  retire(request: ChannelRequest): void {
    const key = keyOf(request);
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    if (entry?.connection.size === 0) entry.connection.close();
  }

  /** Closes all connections. Their streams must have ended. */
  close(): void {
    for (const connection of [...this.#open.keys()]) connection.close();
  }

  #find(request: ChannelRequest, nowMs: number): Entry {
    const entry = this.#entries.get(keyOf(request));
    const isCurrent =
      entry?.connection.hasRoom === true &&
      nowMs - entry.createdAtMs < MAX_AGE_MS &&
      entry.ca === String(request.tls.ca ?? '');
    if (isCurrent) return entry;
    this.retire(request);
    return this.#create(request, nowMs);
  }

  #create(request: ChannelRequest, nowMs: number): Entry {
    const { address, tls, openTimeoutMs } = request;
    const key = keyOf(request);
    const isListed = () => this.#entries.get(key) === entry;
    const connection = new WorkerConnection({
      address,
      tls,
      openTimeoutMs,
      onLossSettled: this.#onLossSettled,
      onIdle: () => {
        if (isListed()) entry.idleTimer = setTimeout(() => this.retire(request), IDLE_MS);
        else connection.close();
      },
      onClosed: () => {
        clearTimeout(entry.idleTimer);
        this.#open.delete(connection);
        if (isListed()) this.#entries.delete(key);
      },
    });
    const entry: Entry = { connection, createdAtMs: nowMs, ca: String(tls.ca ?? '') };
    this.#entries.set(key, entry);
    this.#open.set(connection, address);
    return entry;
  }
}

function keyOf({ address, tls }: ChannelRequest): string {
  return `${tls.servername ?? ''} ${address}`;
}
