export interface ClockOptions {
  idleMs: number;
  pingMs: number;
  lifetimeMs: number;
  isReading: () => boolean;
  ping: () => void;
  onIdle: () => void;
  onGone: () => void;
  onLifetime: () => void;
}

/** A peer that leaves this many pings unanswered is gone. */
const MISSED_PINGS = 2;
const TICK_MS = 250;

/**
 * The clocks of a stream from `ready` on. Idle and ping only run while the gateway reads: a sender that is slowed down
 * cannot show that it is there.
 */
export class Clocks {
  private readonly options: ClockOptions;
  private readonly timer: NodeJS.Timeout;
  private readonly startedAt = performance.now();
  private idleMs = 0;
  private sincePingMs = 0;
  private missed = 0;
  private last = performance.now();

  constructor(options: ClockOptions) {
    this.options = options;
    const tick = Math.min(TICK_MS, options.idleMs / 4, options.pingMs / 4);
    this.timer = setInterval(() => this.tick(), tick);
  }

  /** A message came. */
  heard(): void {
    this.idleMs = 0;
    this.missed = 0;
  }

  /** A pong came: the peer is there, though it says nothing. */
  ponged(): void {
    this.missed = 0;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private tick(): void {
    const now = performance.now();
    const passed = now - this.last;
    this.last = now;
    const { options } = this;
    if (now - this.startedAt >= options.lifetimeMs) {
      this.stop();
      options.onLifetime();
      return;
    }
    if (!options.isReading()) return;
    this.idleMs += passed;
    this.sincePingMs += passed;
    if (this.idleMs >= options.idleMs) {
      this.stop();
      options.onIdle();
    } else if (this.sincePingMs >= options.pingMs) {
      this.sincePingMs = 0;
      if (this.missed >= MISSED_PINGS) {
        this.stop();
        options.onGone();
        return;
      }
      this.missed++;
      options.ping();
    }
  }
}
