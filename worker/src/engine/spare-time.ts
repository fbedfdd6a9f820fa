/** Share of the time that runs of streams ahead of real time may take while the worker also has live streams. */
const AHEAD_SHARE = 0.03;
/** Duration after the last window of a live stream during which the worker still counts as having live streams. */
const LIVE_MS = 3000;

/**
 * Decides when streams that are ahead of real time may run. A run of such streams delays the windows of live streams
 * that become ready during the run. It also takes processor time from other processes of the machine. A tenant that
 * sends a file must not slow down the other tenants. While there are live streams, these runs therefore get only 3 % of
 * the time. Otherwise they can use all the time.
 */
export class SpareTime {
  #liveAtMs = -Infinity;
  #nextMs = -Infinity;

  /** Records that a window of a live stream has become ready. */
  sawLive(nowMs: number): void {
    this.#liveAtMs = nowMs;
  }

  hasLive(nowMs: number): boolean {
    return nowMs - this.#liveAtMs < LIVE_MS;
  }

  /** Records a run in which all streams were ahead of real time. */
  used(startMs: number, endMs: number): void {
    this.#nextMs = startMs + (endMs - startMs) / AHEAD_SHARE;
  }

  /** Returns the time from which streams ahead of real time may run. */
  fromMs(nowMs: number): number {
    return this.hasLive(nowMs) ? Math.min(this.#nextMs, this.#liveAtMs + LIVE_MS) : -Infinity;
  }
}
