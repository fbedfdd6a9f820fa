/**
 * Clock with which all I/O threads check whether tickets have expired. Its time is the earlier of the times of this
 * machine and of Redis. So a worker on a machine whose clock is ahead still accepts tickets. The main thread sets the
 * time of Redis.
 */
export class TicketClock {
  readonly memory: SharedArrayBuffer;
  /** Time of the Redis clock minus the time of the monotonic clock. All threads have the same monotonic clock. */
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

  /** Sets the present time of the Redis clock. */
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
