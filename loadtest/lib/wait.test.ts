import { callAfter, callAt, waitUntil } from './wait.ts';

/** A clock whose timers are fired by hand, early or late. */
function handClock() {
  const timers = new Map<number, () => void>();
  const clock = {
    nowMs: 1000,
    asked: [] as number[],
    now: () => clock.nowMs,
    set: (callback: () => void, ms: number) => {
      clock.asked.push(ms);
      timers.set(clock.asked.length, callback);
      return clock.asked.length;
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

test('a timer that fires before its time goes on waiting for the rest', () => {
  const clock = handClock();
  let calls = 0;
  callAt(61_000, () => calls++, clock);
  clock.nowMs = 1500;
  clock.fire();
  expect(calls).toBe(0);
  expect(clock.asked).toEqual([60_000, 59_500]);
  clock.nowMs = 61_000;
  clock.fire();
  clock.fire();
  expect(calls).toBe(1);
});

test('what was called off is not called, also after it had to go on waiting', () => {
  const clock = handClock();
  let calls = 0;
  const callOff = callAt(2000, () => calls++, clock);
  clock.fire();
  callOff();
  clock.nowMs = 3000;
  clock.fire();
  expect(calls).toBe(0);
});

test('a time that has passed is not waited for', async () => {
  await expect(waitUntil(0)).resolves.toBeUndefined();
  await expect(new Promise<void>((resolve) => void callAfter(1, resolve))).resolves.toBeUndefined();
});
