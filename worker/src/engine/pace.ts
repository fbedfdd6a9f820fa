/**
 * Measures how far a stream is ahead of real time, with a leaky bucket. Each processed chunk adds its duration, and
 * passing time drains the bucket. For a real-time stream, the bucket is nearly empty when the next chunk is complete.
 * For a stream that sends faster, it is not.
 */
export interface Pace {
  readonly aheadMs: number;
  readonly atMs: number;
}

/** Network jitter and processing delay that do not count as ahead of real time. */
const TOLERANCE_MS = 500;

export const START: Pace = { aheadMs: 0, atMs: 0 };

/** Returns by how many milliseconds the stream is ahead of real time at `nowMs`. */
export const aheadAt = (pace: Pace, nowMs: number): number => Math.max(0, pace.aheadMs - (nowMs - pace.atMs));

/** Returns the pace after a chunk was processed. */
export const afterChunk = (pace: Pace, chunkMs: number, nowMs: number): Pace => ({
  aheadMs: aheadAt(pace, nowMs) + chunkMs,
  atMs: nowMs,
});

/**
 * Returns the time at which the stream no longer counts as ahead of real time. Until then, it gets only spare capacity.
 */
export const realTimeAt = ({ aheadMs, atMs }: Pace, chunkMs: number): number =>
  atMs + aheadMs - Math.max(chunkMs, TOLERANCE_MS);

/**
 * Returns true if the stream sends in real time, as a microphone does. A stream counts as live only after its first
 * chunk, because the first chunk of a file looks the same. `backlogMs` is the audio that has arrived after the window.
 */
export const isLive = (pace: Pace, backlogMs: number, nowMs: number): boolean =>
  pace.atMs !== START.atMs && backlogMs <= TOLERANCE_MS && aheadAt(pace, nowMs) <= TOLERANCE_MS;
