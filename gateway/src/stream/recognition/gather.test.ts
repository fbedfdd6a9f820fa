import { urgencyOf } from './gather.ts';

const CHUNK = 17_920;

test.each([
  ['the start of a chunk waits', 0, 1600, 'later'],
  ['most of a chunk waits', 0, CHUNK - 1601, 'later'],
  ['what may complete a chunk goes', 0, CHUNK - 1600, 'now'],
  ['a little of what may complete a chunk waits a moment', CHUNK - 1500, CHUNK - 1500 + 319, 'soon'],
  ['20 ms of what may complete a chunk goes', CHUNK - 1500, CHUNK - 1500 + 320, 'now'],
  ['the last sample of a chunk goes', CHUNK - 1, CHUNK, 'now'],
  ['a frame over the end of a chunk goes', CHUNK - 1600, CHUNK + 100, 'now'],
  ['the start of the next chunk waits', CHUNK + 100, CHUNK + 1700, 'later'],
  ['several chunks go', 0, 3 * CHUNK + 5, 'now'],
  ['nothing waits a moment only', CHUNK, CHUNK, 'later'],
])('%s', (_, sent, samples, urgency) => {
  expect(urgencyOf({ sent, samples }, CHUNK)).toBe(urgency);
});

test('with chunks as short as what may complete them only tiny frames wait', () => {
  expect(urgencyOf({ sent: 0, samples: 40 }, 1280)).toBe('soon');
  expect(urgencyOf({ sent: 0, samples: 320 }, 1280)).toBe('now');
});

test('of a model with very long chunks no more than two seconds are gathered', () => {
  expect(urgencyOf({ sent: 0, samples: 31_999 }, 160_000)).toBe('later');
  expect(urgencyOf({ sent: 0, samples: 32_000 }, 160_000)).toBe('now');
});
