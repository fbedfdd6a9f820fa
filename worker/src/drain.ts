import type { Logger } from '@svc-asr/runtime';
import type { Relay } from './server/relay.ts';

export interface DrainOptions {
  relay: Pick<Relay, 'refuse' | 'move' | 'emptied'>;
  /** Time that streams have to finish on this worker before gateways are asked to move them. */
  moveAfterMs: number;
  /** Time after which `finish` no longer waits for gateways to move their streams. */
  timeoutMs: number;
  logger: Logger;
}

/**
 * Empties a worker. The worker takes no new streams, and gateways move the existing streams to other workers. The
 * worker serves a stream until its gateway closes it, or until the timeout of `finish` has passed.
 */
export class Drain {
  readonly #options: DrainOptions;
  #timer: NodeJS.Timeout | undefined;
  #finishing = false;

  constructor(options: DrainOptions) {
    this.#options = options;
  }

  /** Starts the drain without a time limit. The worker process continues to run. */
  start(): void {
    const { relay, moveAfterMs } = this.#options;
    if (this.#finishing) return;
    relay.refuse();
    this.#timer = setTimeout(() => relay.move(), moveAfterMs);
  }

  /**
   * Notifies gateways that they have `timeoutMs` to move their streams. Resolves when the worker has no streams any
   * more, or after `timeoutMs`.
   */
  async finish(): Promise<void> {
    const { relay, timeoutMs, logger } = this.#options;
    this.#finishing = true;
    clearTimeout(this.#timer);
    relay.move(timeoutMs);
    const left = await relay.emptied(timeoutMs);
    if (left > 0) logger.warn({ amount: left }, 'streams were not moved in time');
  }
}
