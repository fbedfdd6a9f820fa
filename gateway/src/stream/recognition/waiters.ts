import { randomUUID } from 'node:crypto';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Ledger, PoolState, RedisConnection } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { repeat } from '../../repeat.ts';

/**
 * Maximum number of streams whose places in the queue one command renews. The limit keeps a single command from
 * blocking Redis for long.
 */
const RENEWED_AT_ONCE = 500;
/** Time for which a subscription is kept after its last stream has ended its search for a worker. */
const SUBSCRIPTION_IDLE_MS = 60_000;
/** Time after which a failed subscription is repeated while a stream waits. */
const SUBSCRIPTION_RETRY_MS = 30_000;

export interface WaitersOptions {
  pools: Pick<Ledger['pools'], 'renewWaits' | 'channelOf'>;
  subscribe: RedisConnection['subscribe'];
  logger: Logger;
  /** Time between two renewals of the places in the queue. */
  intervalMs: number;
}

/** The streams of a model that are searching for a worker. */
interface ModelWaiters {
  readonly bySession: Map<string, Waiter>;
  /**
   * State of the pool when the places in the queue were last renewed. Undefined before the first renewal, or if the
   * ledger is unavailable.
   */
  pool: PoolState | undefined;
  /**
   * Resolves to the function that ends the subscription, or to undefined if the subscription failed. The field is
   * undefined before the first stream waits, and when a failed subscription may be repeated.
   */
  subscription: Promise<(() => Promise<void>) | undefined> | undefined;
  emptySinceMs: number;
}

/**
 * The streams of this gateway that wait for a worker. Redis notifies the gateway when one of these streams has got a
 * worker. One command renews the places of up to 500 streams in the queue, and also finds streams whose notification
 * was lost.
 */
export class Waiters {
  /** Id under which Redis notifies this gateway. */
  readonly gateway = randomUUID();
  readonly #models = new Map<string, ModelWaiters>();
  readonly #options: WaitersOptions;
  readonly #stopRenewals: () => void;
  #failureLogged = false;

  constructor(options: WaitersOptions) {
    this.#options = options;
    this.#stopRenewals = repeat(
      options.logger,
      () => options.intervalMs,
      () => this.#renewAll(),
    );
  }

  /** Adds a stream. Call it before the first placement request of the stream, so that no notification is missed. */
  join(model: string, sessionId: string): Waiter {
    const entry = this.#models.get(model) ?? this.#addModel(model);
    const waiter = new Waiter(
      () => this.#subscribe(model, entry),
      () => {
        if (entry.bySession.get(sessionId) !== waiter) return;
        entry.bySession.delete(sessionId);
        entry.emptySinceMs = performance.now();
      },
    );
    entry.bySession.set(sessionId, waiter);
    return waiter;
  }

  /**
   * Returns the state of the pool at the last renewal. Undefined before the first renewal, or if the ledger did not
   * answer.
   */
  poolOf(model: string): PoolState | undefined {
    return this.#models.get(model)?.pool;
  }

  /** Stops the renewals. Subscriptions end when the connection to Redis is closed. */
  stop(): void {
    this.#stopRenewals();
    this.#models.clear();
  }

  #addModel(model: string): ModelWaiters {
    const emptySinceMs = performance.now();
    const entry: ModelWaiters = { bySession: new Map(), pool: undefined, subscription: undefined, emptySinceMs };
    this.#models.set(model, entry);
    return entry;
  }

  #subscribe(model: string, entry: ModelWaiters): void {
    entry.subscription ??= this.#open(model, entry);
  }

  async #open(model: string, entry: ModelWaiters): Promise<(() => Promise<void>) | undefined> {
    const { pools, subscribe, logger } = this.#options;
    const channel = pools.channelOf(model, this.gateway);
    let unsubscribe: () => Promise<void>;
    try {
      unsubscribe = await subscribe(channel, (message) => {
        for (const sessionId of message.split(' ')) entry.bySession.get(sessionId)?.wake();
      });
    } catch (err) {
      if (!this.#failureLogged) {
        const message = `no subscription to ${channel}, so streams get a worker later; allow SSUBSCRIBE if Redis denied it`;
        logger.warn({ err, model }, message);
      }
      this.#failureLogged = true;
      const retry = () => {
        entry.subscription = undefined;
      };
      setTimeout(retry, SUBSCRIPTION_RETRY_MS).unref();
      return undefined;
    }
    // This renewal finds streams that got a worker before the subscription started. If the renewal fails, the error is
    // ignored here, because the next renewal reports it.
    await this.#renew(model, entry).catch(() => undefined);
    return unsubscribe;
  }

  async #renewAll(): Promise<void> {
    for (const [model, entry] of this.#models) {
      if (entry.bySession.size > 0) await this.#renew(model, entry);
      else if (performance.now() - entry.emptySinceMs > SUBSCRIPTION_IDLE_MS) {
        this.#models.delete(model);
        // The end of the subscription is not awaited. It may take as long as an outage of Redis lasts, and the renewals
        // of other models must not wait for it.
        void this.#end(entry.subscription);
      }
    }
  }

  async #renew(model: string, entry: ModelWaiters): Promise<void> {
    const waiting = [...entry.bySession].filter(([, waiter]) => waiter.isWaiting).map(([sessionId]) => sessionId);
    try {
      for (let from = 0; from < waiting.length; from += RENEWED_AT_ONCE) {
        const renewed = await this.#options.pools.renewWaits(model, waiting.slice(from, from + RENEWED_AT_ONCE));
        entry.pool = { slots: renewed.slots, growth: renewed.growth };
        for (const sessionId of renewed.changed) entry.bySession.get(sessionId)?.wake();
      }
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) throw error;
      entry.pool = undefined;
    }
  }

  async #end(subscription: ModelWaiters['subscription']): Promise<void> {
    const unsubscribe = await subscription;
    // This fails only if the connection is closed, which also ends the subscription. The error is therefore ignored.
    await unsubscribe?.().catch(() => undefined);
  }
}

/** A stream that searches for a worker. */
export class Waiter {
  readonly #onWait: () => void;
  readonly #onLeave: () => void;
  #woken = false;
  #resume: (() => void) | undefined;

  constructor(onWait: () => void, onLeave: () => void) {
    this.#onWait = onWait;
    this.#onLeave = onLeave;
  }

  /** True while the stream waits to repeat its request for a worker. */
  get isWaiting(): boolean {
    return this.#resume !== undefined;
  }

  /** Waits until the stream should request a worker again, and returns true. Returns false after the timeout. */
  async wait(timeoutMs: number): Promise<boolean> {
    this.#onWait();
    if (!this.#woken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs);
        this.#resume = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#resume = undefined;
    }
    const woken = this.#woken;
    this.#woken = false;
    return woken;
  }

  /** Call when the stream has got a worker or lost its place in the queue. */
  wake(): void {
    this.#woken = true;
    this.#resume?.();
  }

  /** Ends the search of the stream for a worker. */
  leave(): void {
    this.#onLeave();
  }
}
