export interface SessionTimes {
  /** Time without audio after which the session is ended. */
  idleMs: number;
  /**
   * Time that a session may last in addition to the duration of the audio that it has received. The limit of its stream
   * is later, because it is this time plus the duration of the reserved audio.
   */
  extraMs: number;
}

export interface SessionTimersEvents {
  /**
   * Returns whether operations of the client wait to be sent. The client then does not count as idle, because the
   * gateway may have stopped reading from it.
   */
  isWaiting: () => boolean;
  /** Returns the duration of the audio that the session has received, in milliseconds. */
  audioMs: () => number;
  onEnd: (reason: 'idle_timeout' | 'session_time_limit') => void;
}

/** Timers of a ready session: the idle timeout and the lifetime. */
export class SessionTimers {
  readonly #times: SessionTimes;
  readonly #events: SessionTimersEvents;
  #idle: NodeJS.Timeout | undefined;
  #lifetime: NodeJS.Timeout | undefined;

  constructor(times: SessionTimes, events: SessionTimersEvents) {
    this.#times = times;
    this.#events = events;
  }

  start(): void {
    this.#idle = setTimeout(() => {
      if (this.#events.isWaiting()) this.#idle?.refresh();
      else this.#events.onEnd('idle_timeout');
    }, this.#times.idleMs);
    this.#limitLifetime(performance.now());
  }

  /** Call when audio has arrived. */
  onAudio(): void {
    this.#idle?.refresh();
  }

  stop(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#lifetime);
    this.#idle = undefined;
  }

  /**
   * Ends the session when it has lasted longer than the duration of its audio plus the extra time. Without this limit,
   * the stream would end by itself a little later. While it waited for its last transcript, it would drop new audio.
   */
  #limitLifetime(startedAtMs: number): void {
    const leftMs = startedAtMs + this.#events.audioMs() + this.#times.extraMs - performance.now();
    if (leftMs <= 0) this.#events.onEnd('session_time_limit');
    else this.#lifetime = setTimeout(() => this.#limitLifetime(startedAtMs), Math.ceil(leftMs));
  }
}
