import { callAfter, callAt, waitUntil } from './wait.ts';

/** Creates a clock whose timers the test fires, either early or late. */
function createManualClock() {
  const timers = new Map<number, () => void>();
  const clock = {
    nowMs: 1000,
    delays: [] as number[],
    now: () => clock.nowMs,
    set: (callback: () => void, ms: number) => {
      clock.delays.push(ms);
      timers.set(clock.delays.length, callback);
      return clock.delays.length;
    },
    clear: (timer: number) => void timers.delete(timer),
    fire: () => {
      for (const [timer, callback] of [...timers]) {
        timers.delete(timer);
        callback();
      }
    },
  };
  return clock;
}

test('callAt waits for the remaining time if the timer fires early', () => {
  const clock = createManualClock();
  let calls = 0;
  callAt(61_000, () => calls++, clock);
  clock.nowMs = 1500;
  clock.fire();
  expect(calls).toBe(0);
  expect(clock.delays).toEqual([60_000, 59_500]);
  clock.nowMs = 61_000;
  clock.fire();
  clock.fire();
  expect(calls).toBe(1);
});

test('callAt does not call back after it was cancelled, even if its timer fired too early before the cancellation', () => {
  const clock = createManualClock();
  let calls = 0;
  const cancel = callAt(2000, () => calls++, clock);
  clock.fire();
  cancel();
  clock.nowMs = 3000;
  clock.fire();
  expect(calls).toBe(0);
});

test('waitUntil resolves for a time that has already passed, and callAfter calls back after its delay', async () => {
  await expect(waitUntil(0)).resolves.toBeUndefined();
  await expect(new Promise<void>((resolve) => void callAfter(1, resolve))).resolves.toBeUndefined();
});
