import { isCreditLow } from './credit-low.ts';

const HOUR_MS = 3_600_000;

test.each([
  [0, 0, undefined, true],
  [59_999, 59_999, undefined, true],
  [60_000, 60_000, undefined, false],
  [HOUR_MS - 1, 10 * HOUR_MS, undefined, true],
  [HOUR_MS, 10 * HOUR_MS, undefined, false],
  // With a budget, a tenth of the budget is the limit, and the granted credit does not count.
  [HOUR_MS, 100 * HOUR_MS, 10 * HOUR_MS, false],
  [HOUR_MS - 1, 100 * HOUR_MS, 10 * HOUR_MS, true],
])(
  'isCreditLow for %i ms available, %i ms granted and a monthly budget of %p ms returns %p',
  (available, granted, monthly, isLow) => {
    const budget = monthly === undefined ? {} : { budget: { monthly_ms: monthly, remaining_ms: 0, renews_at: '' } };
    const credits = { unit: 'audio_millisecond', available_ms: available, granted_ms: granted } as const;
    expect(isCreditLow({ ...credits, reserved_ms: 0, consumed_ms: 0, ...budget })).toBe(isLow);
  },
);
