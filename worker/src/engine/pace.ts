/**
 * How far a stream is ahead of real time: a bucket that each processed chunk fills by its duration and that time drains. A stream at
 * real-time pace finds it nearly empty when its next chunk is complete; one that sends faster does not.
 */
export interface Pace {
  readonly aheadMs: number;
  readonly atMs: number;
}

/** Jitter and delays of our own that do not make a stream one that is ahead. */
const TOLERANCE_MS = 500;

export const START: Pace = { aheadMs: 0, atMs: 0 };

/** Milliseconds ahead at this moment. */
export const aheadAt = (pace: Pace, nowMs: number): number => Math.max(0, pace.aheadMs - (nowMs - pace.atMs));

/** The pace after a chunk was taken. */
export const afterChunk = (pace: Pace, chunkMs: number, nowMs: number): Pace => ({
  aheadMs: aheadAt(pace, nowMs) + chunkMs,
  atMs: nowMs,
});

/** True for a stream that may only have spare capacity now. */
export const isAhead = (pace: Pace, chunkMs: number, nowMs: number): boolean =>
  aheadAt(pace, nowMs) > Math.max(chunkMs, TOLERANCE_MS);
