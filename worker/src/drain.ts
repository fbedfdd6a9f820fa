import type { Logger } from '@svc-asr/runtime';
import type { Relay } from './server/relay.ts';

export interface DrainOptions {
  relay: Pick<Relay, 'refuse' | 'move' | 'emptied'>;
  /** Time for which streams may finish here before they are moved. */
  moveAfterMs: number;
  /** Longest time for gateways to move their streams. */
  timeoutMs: number;
  logger: Logger;
}

/** Empties a worker: it takes no new streams, and gateways move the existing ones to other workers. */
export class Drain {
  readonly #options: DrainOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DrainOptions) {
    this.#options = options;
  }

  /** Starts to drain while the worker continues to run. */
  start(): void {
    const { relay, moveAfterMs } = this.#options;
    relay.refuse();
    this.#timer = setTimeout(() => relay.move(), moveAfterMs);
  }

  /** Moves all streams now. Resolves when they have left or after the timeout. */
  async finish(): Promise<void> {
    const { relay, timeoutMs, logger } = this.#options;
    clearTimeout(this.#timer);
    relay.move();
    const left = await relay.emptied(timeoutMs);
    if (left > 0) logger.warn({ amount: left }, 'streams were not moved in time');
  }
}
