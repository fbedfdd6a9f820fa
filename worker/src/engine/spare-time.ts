/** Share of the time that streams ahead of real time may use while the worker also has live streams. */
const AHEAD_SHARE = 0.03;
/** Time after the last window of a live stream for which the worker counts as having live streams. */
const LIVE_MS = 3000;

/**
 * Decides when streams that are ahead of real time may run. Such a run delays the windows of live streams that become
 * ready meanwhile, and takes processor time from other processes of the machine. One tenant that sends a file must not
 * slow down the other tenants, so these runs get 3 % of the time. If there are no live streams, these runs get all of
 * the time.
 */
export class SpareTime {
  #liveAtMs = -Infinity;
  #nextMs = -Infinity;

  /** Notes that a window of a live stream has become ready. */
  sawLive(nowMs: number): void {
    this.#liveAtMs = nowMs;
  }

  hasLive(nowMs: number): boolean {
    return nowMs - this.#liveAtMs < LIVE_MS;
  }

  /** Notes a run of streams that are ahead of real time. */
  used(startMs: number, endMs: number): void {
    this.#nextMs = startMs + (endMs - startMs) / AHEAD_SHARE;
  }

  /** Returns the time from which streams ahead of real time may run. */
  fromMs(nowMs: number): number {
    return this.hasLive(nowMs) ? Math.min(this.#nextMs, this.#liveAtMs + LIVE_MS) : -Infinity;
  }
}
