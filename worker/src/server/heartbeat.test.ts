import { beat, isGone } from './heartbeat.ts';

const silent = { heard: false, reading: true };

test('a peer that leaves two pings unanswered is gone', () => {
  const once = beat({ missed: 0 }, silent);
  expect(isGone(once)).toBe(false);
  expect(isGone(beat(once, silent))).toBe(true);
});

test('any sign of life counts, and so does not listening for one', () => {
  const once = beat({ missed: 0 }, silent);
  expect(beat(once, { heard: true, reading: true })).toEqual({ missed: 0 });
  expect(beat(once, { heard: false, reading: false })).toEqual({ missed: 0 });
});
