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

/** Audio that a client may have recorded before its stream was open. It may arrive at once. */
const RECORDED_BEFORE_MS = 2000;
/**
 * Audio that a live client may have recorded before. A short file counts as live if the limit is higher, because all
 * of its audio is less than RECORDED_BEFORE_MS.
 */
const LIVE_RECORDED_BEFORE_MS = 1000;
/** Longest stall, for example of the network, whose audio may arrive at once afterwards. */
const MAX_STALL_MS = 30_000;
/** Speed at which the clock of a live client may run at most. */
const MAX_CLIENT_SPEED = 1.02;

/** Returns the pace of arrival of a stream that was just opened. */
export const startArrival = (nowMs: number): Pace => ({ aheadMs: -RECORDED_BEFORE_MS, atMs: nowMs });

/**
 * Returns the pace of arrival after further audio has arrived since the last call. Unlike the pace of processing, it does
 * not depend on how late the worker is. It is negative if audio is missing, which may then arrive later at once.
 */
export const afterArrival = ({ aheadMs, atMs }: Pace, arrivedMs: number, nowMs: number): Pace => ({
  aheadMs: Math.max(-MAX_STALL_MS, aheadMs + arrivedMs - MAX_CLIENT_SPEED * (nowMs - atMs)),
  atMs: nowMs,
});

/**
 * Returns the time until which a stream gets only spare capacity. A stream whose audio arrives in real time is never
 * limited to spare capacity. This also holds if it has many windows to catch up with after the worker was slow.
 */
export const spareUntil = ({ pace, chunkMs, earlyMs }: { pace: Pace; chunkMs: number; earlyMs: number }): number =>
  earlyMs <= TOLERANCE_MS ? -Infinity : realTimeAt(pace, chunkMs);

/**
 * Returns the time at which the stream no longer counts as ahead of real time.
 * The last chunk does not count as ahead, because all of its audio must arrive before it is processed.
 */
export const realTimeAt = ({ aheadMs, atMs }: Pace, chunkMs: number): number => atMs + aheadMs - chunkMs - TOLERANCE_MS;

/**
 * Returns true if the stream sends in real time, as a microphone does. A stream counts as live only after its first
 * chunk, because the first chunk of a file looks the same. `backlogMs` is the audio that has arrived after the window.
 */
export const isLive = ({ pace, earlyMs }: { pace: Pace; earlyMs: number }, backlogMs: number): boolean =>
  pace.atMs !== START.atMs && backlogMs <= TOLERANCE_MS && earlyMs <= LIVE_RECORDED_BEFORE_MS - RECORDED_BEFORE_MS;
