import type { Clock } from '../queue/clock.ts';

export interface FakeClock extends Clock {
  /** Moves time forward and runs the timers that are due, in order of their time. */
  advance: (ms: number) => void;
}

/** Creates a clock that stands still until a test moves it. */
export function createFakeClock(): FakeClock {
  let nowMs = 0;
  let timers: { dueMs: number; then: () => void }[] = [];
  return {
    nowMs: () => nowMs,
    after: (delayMs, then) => {
      const timer = { dueMs: nowMs + delayMs, then };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance: (ms) => {
      const untilMs = nowMs + ms;
      for (;;) {
        const next = timers.filter(({ dueMs }) => dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)[0];
        if (next === undefined) break;
        timers = timers.filter((other) => other !== next);
        nowMs = next.dueMs;
        next.then();
      }
      nowMs = untilMs;
    },
  };
}
