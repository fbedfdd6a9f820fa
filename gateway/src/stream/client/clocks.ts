import { STREAM_LIMITS } from '@svc-asr/core';
import type { Ticker } from '../ticker.ts';

/**
 * Longest time that a tick adds to the idle time. The time between two ticks is longer only if the gateway was
 * suspended in between.
 */
const MAX_TICK_MS = 500;

/** Durations and callbacks of the clocks. */
export interface ClockOptions {
  idleMs: number;
  pingMs: number;
  lifetimeMs: number;
  isReading: () => boolean;
  /** True while the service owes the client the answer to a `flush` or `reset`. */
  owesAnswer: () => boolean;
  ping: () => void;
  onIdle: () => void;
  onUnresponsive: () => void;
  onLifetime: () => void;
}

/**
 * Idle timeout, pings and lifetime of a connection. They count from the creation of this object: at `ready` for a
 * stream, at the handshake for a realtime connection. The idle timeout and the pings stop while the gateway does not
 * read from the client, because the client can then not send. A client that waits for an answer is not idle. While the
 * gateway itself is suspended, it cannot see whether the client sends messages. Even a long suspension therefore adds
 * at most MAX_TICK_MS to the idle time.
 */
export class Clocks {
  readonly #ticker: Ticker;
  readonly #options: ClockOptions;
  readonly #startedAt = performance.now();
  #lifetimeMs: number;
  #idleMs = 0;
  #sincePingMs = 0;
  #missed = 0;
  #last = performance.now();

  constructor(ticker: Ticker, options: ClockOptions) {
    this.#ticker = ticker;
    this.#options = options;
    this.#lifetimeMs = options.lifetimeMs;
    ticker.add(this.#tick);
  }

  /** Call when the client sent a message. */
  onMessage(): void {
    this.#idleMs = 0;
    this.#missed = 0;
  }

  /** Call when the client sent a pong. A pong proves that the client is alive, but does not end its idle time. */
  onPong(): void {
    this.#missed = 0;
  }

  /** Call when the stream may use more audio, so that it may last longer. */
  extendLifetime(ms: number): void {
    this.#lifetimeMs += ms;
  }

  stop(): void {
    this.#ticker.remove(this.#tick);
  }

  readonly #tick = (nowMs: number): void => {
    const passed = nowMs - this.#last;
    this.#last = nowMs;
    const options = this.#options;
    if (nowMs - this.#startedAt >= this.#lifetimeMs) {
      this.stop();
      options.onLifetime();
      return;
    }
    if (!options.isReading()) return;
    if (!options.owesAnswer()) this.#idleMs += Math.min(passed, MAX_TICK_MS, options.idleMs / 2);
    this.#sincePingMs += passed;
    if (this.#idleMs >= options.idleMs) {
      this.stop();
      options.onIdle();
    } else if (this.#sincePingMs >= options.pingMs) {
      this.#sincePingMs = 0;
      if (this.#missed >= STREAM_LIMITS.maxMissedPings) {
        this.stop();
        options.onUnresponsive();
        return;
      }
      this.#missed++;
      options.ping();
    }
  };
}
