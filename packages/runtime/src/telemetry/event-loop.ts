import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createRecentMaximum } from './recent-maximum.ts';

const RESOLUTION_MS = 10;
/** Window of the maximum. A reader that reads at least once per window misses no stall. */
const WINDOW_MS = 60_000;
const PARTS = 12;

/**
 * Monitors the event loop of this process. Returns a function that returns the longest stall of the last minute, in
 * seconds.
 */
export function watchEventLoop(): () => number {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const recent = createRecentMaximum(delay, PARTS);
  setInterval(() => recent.startPeriod(), WINDOW_MS / PARTS).unref();
  return () => recent.read() / 1e9;
}
