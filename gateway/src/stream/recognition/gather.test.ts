import { urgencyOf } from './gather.ts';

const CHUNK = 17_920;

test.each([
  ['for the start of a chunk', 0, 1600, 'later'],
  ['for a chunk that lacks more than 1600 samples', 0, CHUNK - 1601, 'later'],
  ['for a chunk that lacks 1600 samples', 0, CHUNK - 1600, 'now'],
  ['for less than 20 ms near the end of a chunk', CHUNK - 1500, CHUNK - 1500 + 319, 'soon'],
  ['for 20 ms near the end of a chunk', CHUNK - 1500, CHUNK - 1500 + 320, 'now'],
  ['for the last sample of a chunk', CHUNK - 1, CHUNK, 'now'],
  ['for a frame across the end of a chunk', CHUNK - 1600, CHUNK + 100, 'now'],
  ['for the start of the next chunk', CHUNK + 100, CHUNK + 1700, 'later'],
  ['for several chunks', 0, 3 * CHUNK + 5, 'now'],
  ['for no unsent audio', CHUNK, CHUNK, 'later'],
])('urgencyOf %s (%i of %i samples sent) is %s', (_, sent, samples, urgency) => {
  expect(urgencyOf({ sent, samples }, CHUNK)).toBe(urgency);
});

test('urgencyOf a chunk of 1280 samples is "soon" for less than 20 ms of audio and "now" from 20 ms on', () => {
  expect(urgencyOf({ sent: 0, samples: 40 }, 1280)).toBe('soon');
  expect(urgencyOf({ sent: 0, samples: 320 }, 1280)).toBe('now');
});

test('urgencyOf a very long chunk is "later" for less than two seconds of audio and "now" from two seconds on', () => {
  expect(urgencyOf({ sent: 0, samples: 31_999 }, 160_000)).toBe('later');
  expect(urgencyOf({ sent: 0, samples: 32_000 }, 160_000)).toBe('now');
});
