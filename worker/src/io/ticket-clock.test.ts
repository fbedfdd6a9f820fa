import { TicketClock } from './ticket-clock.ts';

const HOUR_MS = 3_600_000;

test('TicketClock returns the time of the local clock before the time of Redis is known', () => {
  expect(TicketClock.create(() => 5).now()).toBe(5);
});

test('TicketClock returns the time of Redis if the local clock is ahead, even after the local clock was set forward', () => {
  let wallMs = 1000;
  const clock = TicketClock.create(() => wallMs);
  clock.set(500);
  wallMs += HOUR_MS;
  expect(clock.now()).toBeGreaterThanOrEqual(500);
  expect(clock.now()).toBeLessThan(HOUR_MS);
});

test('TicketClock returns the time of the local clock if the clock of Redis is ahead', () => {
  const clock = TicketClock.create(() => 1000);
  clock.set(HOUR_MS);
  expect(clock.now()).toBe(1000);
});

test('TicketClock has the same time in all threads that share its memory', () => {
  const clock = TicketClock.create(() => HOUR_MS);
  const other = new TicketClock(clock.memory, () => HOUR_MS);
  clock.set(500);
  expect(other.now()).toBeLessThan(HOUR_MS);
});
