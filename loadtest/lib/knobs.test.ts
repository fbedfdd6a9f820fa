import { createKnobs, parseContexts } from './knobs.ts';

test('the environment wins over the scenario, the scenario over the general default', () => {
  const defaults = { DURATION_SECONDS: '60', STREAMS: '4' };
  const knobs = createKnobs({ STREAMS: '7', FRAME_MS: '' }, defaults);
  expect(knobs.whole('STREAMS', 1, 100)).toBe(7);
  expect(knobs.whole('DURATION_SECONDS', 1, 100)).toBe(60);
  expect(knobs.whole('FRAME_MS', 10, 1000)).toBe(100);
  expect(createKnobs({}, {}).optional('STREAMS', 1, 100)).toBeUndefined();
});

test.each(['0', '101', '1.5', 'many', '-1'])('STREAMS=%s is refused', (value) => {
  const knobs = createKnobs({ STREAMS: value }, {});
  expect(() => knobs.whole('STREAMS', 1, 100)).toThrow(`STREAMS=${value} must be a whole number from 1 to 100`);
});

test('contexts are pairs', () => {
  expect(parseContexts('')).toEqual([]);
  expect(parseContexts('56,13; 56, 0')).toEqual([
    [56, 13],
    [56, 0],
  ]);
  expect(() => parseContexts('56')).toThrow('"56" is not a pair like 56,13');
});
