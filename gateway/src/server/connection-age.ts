import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Limits the age of keep-alive connections. Without a limit, a load balancer that keeps its connections would send no
 * requests to gateways that are added later.
 */
export class ConnectionAge {
  readonly #maxMs: number;
  readonly #now: () => number;
  /** Time at which each connection becomes too old. */
  readonly #deadlines = new WeakMap<Socket, number>();

  /** If `maxMs` is 0, there is no limit. */
  constructor(maxMs: number, now: () => number = () => performance.now()) {
    this.#maxMs = maxMs;
    this.#now = now;
  }

  /**
   * Returns true if the connection of a request must be closed after the response. The age counts from the first
   * request. Each connection gets a random limit between half of `maxMs` and `maxMs`, so that connections that were
   * opened together are not closed together.
   */
  isExceeded({ socket }: Pick<IncomingMessage, 'socket'>): boolean {
    if (this.#maxMs === 0) return false;
    const deadline = this.#deadlines.get(socket);
    if (deadline !== undefined) return this.#now() >= deadline;
    this.#deadlines.set(socket, this.#now() + (this.#maxMs / 2) * (1 + Math.random()));
    return false;
  }
}
