import { UsageError } from './exit.ts';
import { parseRange } from './usage-range.ts';

const NONE = { from: undefined, to: undefined, period: undefined };
const at = (time: string) => Date.parse(time);

test.each([
  ['2027-03-01T00:00:00Z', { from: '2027-02-01', to: '2027-02-28' }],
  ['2028-03-31T23:59:59Z', { from: '2028-02-01', to: '2028-02-29' }],
  ['2027-01-15T12:00:00Z', { from: '2026-12-01', to: '2026-12-31' }],
])('parseRange returns the previous month by default if the current time is %s', (now, range) => {
  expect(parseRange(NONE, at(now))).toEqual(range);
  expect(parseRange({ ...NONE, period: 'month' }, at(now))).toEqual(range);
});

test('parseRange returns the previous day for the period "day"', () => {
  const range = { from: '2027-02-28', to: '2027-02-28' };
  expect(parseRange({ ...NONE, period: 'day' }, at('2027-03-01T00:00:00Z'))).toEqual(range);
  expect(parseRange({ ...NONE, period: 'day' }, at('2027-03-01T23:59:59Z'))).toEqual(range);
});

test('parseRange ends the range with yesterday if only the first day is given', () => {
  const now = at('2027-03-10T05:00:00Z');
  expect(parseRange({ ...NONE, from: '2027-03-01' }, now)).toEqual({ from: '2027-03-01', to: '2027-03-09' });
  const both = { from: '2027-03-01', to: '2027-03-10' };
  expect(parseRange({ ...NONE, ...both }, now)).toEqual(both);
});

test.each([
  [{ ...NONE, to: '2027-03-01' }, '--to requires --from'],
  [{ ...NONE, from: '1 March' }, '--from must be a day'],
  [{ ...NONE, from: '2027-03-01', to: 'today' }, '--to must be a day'],
  [{ ...NONE, from: '2027-03-01', period: 'day' }, '--period cannot be combined with --from'],
  [{ ...NONE, period: 'week' }, '--period must be day or month'],
])('parseRange refuses %j with "%s"', (options, message) => {
  expect(() => parseRange(options, 0)).toThrow(new RegExp(message));
  expect(() => parseRange(options, 0)).toThrow(UsageError);
});
