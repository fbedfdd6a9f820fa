import { createOptions, parseContexts } from './options.ts';

test('createOptions uses the environment first, then the default of the scenario, then the general default', () => {
  const defaults = { DURATION_SECONDS: '60', STREAMS: '4' };
  const options = createOptions({ STREAMS: '7', FRAME_MS: '' }, defaults);
  expect(options.whole('STREAMS', 1, 100)).toBe(7);
  expect(options.whole('DURATION_SECONDS', 1, 100)).toBe(60);
  expect(options.whole('FRAME_MS', 10, 1000)).toBe(100);
  expect(createOptions({}, {}).optional('STREAMS', 1, 100)).toBeUndefined();
});

test.each(['0', '101', '1.5', 'many', '-1'])('createOptions rejects STREAMS=%s', (value) => {
  const options = createOptions({ STREAMS: value }, {});
  expect(() => options.whole('STREAMS', 1, 100)).toThrow(`STREAMS=${value} must be a whole number from 1 to 100`);
});

test('parseContexts reads pairs that are separated by semicolons, and rejects anything else', () => {
  expect(parseContexts('')).toEqual([]);
  expect(parseContexts('56,13; 56, 0')).toEqual([
    [56, 13],
    [56, 0],
  ]);
  expect(() => parseContexts('56')).toThrow('"56" is not a pair like 56,13');
});
