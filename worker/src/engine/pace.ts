/**
 * Measures how far a stream is ahead of real time, with a leaky bucket. Each processed chunk adds its duration to the
 * bucket, and the bucket drains as time passes. When the next chunk of a real-time stream is complete, the bucket is
 * nearly empty. If a stream sends faster than real time, the bucket fills.
 */
export interface Pace {
  readonly aheadMs: number;
  readonly atMs: number;
}

/**
 * Amount by which a stream may be ahead before it counts as ahead of real time. It covers network jitter and processing
 * delay.
 */
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
 * Duration of the audio that a client may have recorded before its stream was open. This audio can arrive all at once.
 */
const RECORDED_BEFORE_MS = 2000;
/**
 * Maximum duration of audio recorded before the stream was open, for a stream that counts as live. A file of up to this
 * duration can count as live too, so the value is lower than RECORDED_BEFORE_MS.
 */
const LIVE_RECORDED_BEFORE_MS = 1000;
/** Longest stall, for example of the network, after which the delayed audio may arrive all at once. */
const MAX_STALL_MS = 30_000;
/** Highest speed of a live client's clock, relative to real time. */
const MAX_CLIENT_SPEED = 1.02;

/** Returns the pace of arrival of a stream that was just opened. */
export const startArrival = (nowMs: number): Pace => ({ aheadMs: -RECORDED_BEFORE_MS, atMs: nowMs });

/**
 * Returns the pace of arrival after `arrivedMs` of audio have arrived since the last call. Unlike the pace of
 * processing, it does not depend on delays of the worker. `aheadMs` is negative if audio is missing. The missing audio
 * may arrive later all at once.
 */
export const afterArrival = ({ aheadMs, atMs }: Pace, arrivedMs: number, nowMs: number): Pace => ({
  aheadMs: Math.max(-MAX_STALL_MS, aheadMs + arrivedMs - MAX_CLIENT_SPEED * (nowMs - atMs)),
  atMs: nowMs,
});

/**
 * Returns the time until which a stream gets only spare capacity. A stream whose audio arrives in real time is never
 * limited to spare capacity. This is also true if many of its windows are ready because the worker was slow.
 */
export const spareUntil = ({ pace, chunkMs, earlyMs }: { pace: Pace; chunkMs: number; earlyMs: number }): number =>
  earlyMs <= TOLERANCE_MS ? -Infinity : realTimeAt(pace, chunkMs);

/**
 * Returns the time at which the stream no longer counts as ahead of real time. The duration of one chunk does not count
 * as ahead. A chunk is processed only when all its audio has arrived, so a stream in real time has sent one chunk too.
 */
export const realTimeAt = ({ aheadMs, atMs }: Pace, chunkMs: number): number => atMs + aheadMs - chunkMs - TOLERANCE_MS;

/**
 * Returns true if the stream sends in real time, as a microphone does. A stream counts as live only after its first
 * chunk. The first chunk does not show whether the audio comes from a microphone or from a file. `backlogMs` is the
 * duration of the audio after the window, as far as this audio has arrived.
 */
export const isLive = ({ pace, earlyMs }: { pace: Pace; earlyMs: number }, backlogMs: number): boolean =>
  pace.atMs !== START.atMs && backlogMs <= TOLERANCE_MS && earlyMs <= LIVE_RECORDED_BEFORE_MS - RECORDED_BEFORE_MS;
