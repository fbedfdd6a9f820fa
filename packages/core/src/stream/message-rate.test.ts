import { MessageRate } from './message-rate.ts';

test('MessageRate allows a burst at once, and then one message per interval', () => {
  const rate = new MessageRate(20, 40);
  for (let message = 0; message < 40; message++) expect(rate.take(1000)).toBe(0);
  expect(rate.take(1000)).toBeCloseTo(50);
  expect(rate.take(1049)).toBeCloseTo(1);
  expect(rate.take(1050)).toBe(0);
  expect(rate.take(1050)).toBeCloseTo(50);
});

test('MessageRate does not count a message that it refuses', () => {
  const rate = new MessageRate(1, 1);
  expect(rate.take(0)).toBe(0);
  for (let message = 0; message < 100; message++) expect(rate.take(500)).toBeCloseTo(500);
  expect(rate.take(1000)).toBe(0);
});

test('MessageRate never refuses messages at the exact rate, and allows no more than the burst after a long pause', () => {
  const rate = new MessageRate(20, 40);
  for (let message = 0; message < 1000; message++) expect(rate.take(message * 50)).toBe(0);
  const allowed = Array.from({ length: 100 }, () => rate.take(3_600_000)).filter((waitMs) => waitMs === 0);
  expect(allowed).toHaveLength(40);
});
