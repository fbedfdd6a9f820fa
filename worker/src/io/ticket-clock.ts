/**
 * Clock by which all I/O threads judge tickets. It is the earlier one of the clocks of this machine and of Redis. A
 * worker whose clock is ahead therefore still accepts tickets. The main thread sets the time of Redis.
 */
export class TicketClock {
  readonly memory: SharedArrayBuffer;
  /** Difference between the clock of Redis and the monotonic clock, which all threads share. */
  readonly #offset: Float64Array;
  readonly #wallMs: () => number;

  constructor(memory: SharedArrayBuffer, wallMs: () => number = Date.now) {
    this.memory = memory;
    this.#offset = new Float64Array(memory);
    this.#wallMs = wallMs;
  }

  static create(wallMs: () => number = Date.now): TicketClock {
    const clock = new TicketClock(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT), wallMs);
    clock.set(Infinity);
    return clock;
  }

  /** Sets the time that Redis has now. */
  set(redisNowMs: number): void {
    this.#offset[0] = redisNowMs - monotonicMs();
  }

  now(): number {
    return Math.min(this.#wallMs(), monotonicMs() + (this.#offset[0] ?? Infinity));
  }
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
