import { beat, isLost } from './heartbeat.ts';

const silent = { received: false, reading: true };

test('isLost is true for a peer after two unanswered pings', () => {
  const once = beat({ missed: 0 }, silent);
  expect(isLost(once)).toBe(false);
  expect(isLost(beat(once, silent))).toBe(true);
});

test('beat() resets the number of missed pings after a received message, and while this process does not read from the socket', () => {
  const once = beat({ missed: 0 }, silent);
  expect(beat(once, { received: true, reading: true })).toEqual({ missed: 0 });
  expect(beat(once, { received: false, reading: false })).toEqual({ missed: 0 });
});
