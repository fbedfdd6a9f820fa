import { judgeStep, stepAt, stepTag } from './ramp.ts';

const ramp = { steps: [70, 80], stepSeconds: 60, settleSeconds: 5 };
const LIMITS = { delta: 300, final: 600, ready: 1000 };

test('stepAt returns the index of the ramp step at a given time', () => {
  expect([0, 59_999, 60_000, 120_000].map((ms) => stepAt(ramp, ms))).toEqual([0, 0, 1, 2]);
});

test('stepTag returns the number of streams of a step, and an empty text in the first seconds of a step and after the last step', () => {
  const tags = [0, 4999, 5000, 59_999, 60_000, 65_000, 119_999, 126_000].map((ms) => stepTag(ramp, ms));
  expect(tags).toEqual(['', '', '70', '70', '', '80', '80', '']);
});

test('judgeStep passes a step whose values are exactly at the limits', () => {
  expect(judgeStep({ latencies: { delta: 300, final: 600, ready: 1000 }, refused: 0 }, LIMITS)).toEqual([]);
});

test('judgeStep fails a step that misses a target or has refused sessions', () => {
  const latencies = { delta: 400.4, final: 600, ready: 1000 };
  expect(judgeStep({ latencies, refused: 1 }, LIMITS)).toEqual(['delta p95 400 ms > 300 ms', '1 sessions refused']);
});

test('judgeStep fails a step that has no deltas or has no finals, but not a step without ready events', () => {
  const latencies = { delta: null, final: null, ready: null };
  expect(judgeStep({ latencies, refused: 0 }, LIMITS)).toEqual(['no delta arrived', 'no final arrived']);
});
