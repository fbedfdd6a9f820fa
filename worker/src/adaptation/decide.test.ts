import fc from 'fast-check';
import { decideSlots, excessShare, initialSlots } from './decide.ts';
import type { SlotObservation, SlotState } from './decide.ts';

const LIMITS = { measured: 200, share: 1, least: 50, start: 200, most: 200 };
const SECOND = 1000;

/**
 * Calls decideSlots once a second for this many seconds. By default, the observed worker uses all its slots, and its
 * runs take as long as at warm-up.
 */
function decideFor(
  seconds: number,
  state: SlotState,
  seen: Partial<SlotObservation> = {},
  limits = LIMITS,
  fromMs = 0,
): SlotState {
  let now = state;
  for (let i = 0; i < seconds; i++) {
    const usual = { slowdown: 1, recentSlowdown: 1, busy: 0.6, streams: now.slots, lateStreams: 0 };
    now = decideSlots(now, { ...usual, ...seen, nowMs: fromMs + i * SECOND }, limits);
  }
  return now;
}
const full = initialSlots(200);
/** Observations of a worker whose streams send no audio. */
const QUIET = { slowdown: undefined, recentSlowdown: undefined, busy: 0, lateStreams: 0 };

describe('decideSlots', () => {
  test('keeps the slots while runs take as long as at warm-up, or a little longer', () => {
    expect(decideFor(300, full).slots).toBe(200);
    expect(decideFor(300, full, { slowdown: 1.04 }).slots).toBe(200);
  });

  test('divides the slots by the slowdown in one step if runs are much slower than at warm-up', () => {
    expect(decideFor(1, full, { slowdown: 1.6 }).slots).toBe(125);
  });

  test('offers `start` slots while there are too few runs to know the speed', () => {
    expect(decideFor(60, full, { slowdown: undefined, recentSlowdown: 9 }).slots).toBe(200);
    expect(decideFor(60, initialSlots(100), { slowdown: undefined }).slots).toBe(200);
  });

  describe('for a worker that starts with half of the measured slots', () => {
    const half = { ...LIMITS, start: 100 };
    const first = initialSlots(half.start);

    test('adds the other half of the slots if streams use all slots and runs are as fast as at warm-up', () => {
      expect(decideFor(60, first, {}, half).slots).toBe(200);
    });

    test('keeps `start` slots while streams use less than 80 % of them, or while the speed is unknown', () => {
      expect(decideFor(60, first, { streams: 79 }, half).slots).toBe(100);
      expect(decideFor(60, first, { slowdown: undefined }, half).slots).toBe(100);
    });

    test('raises the slots above `start` only so far that the inference thread is busy for 70 % of the time', () => {
      expect(decideFor(60, first, { streams: 120, busy: 0.6 }, half).slots).toBe(140);
      expect(decideFor(60, first, { streams: 100, busy: 0.7 }, half).slots).toBe(100);
      // A fully busy inference thread alone does not lower the slots.
      expect(decideFor(60, initialSlots(140), { streams: 140, busy: 1 }, half).slots).toBe(140);
      expect(decideFor(60, initialSlots(60), { streams: 60, busy: 1 }, half).slots).toBe(100);
    });

    test('raises lowered slots only up to `start` while there are no streams', () => {
      expect(decideFor(60, initialSlots(60), { slowdown: undefined, streams: 0 }, half).slots).toBe(100);
      expect(decideFor(60, initialSlots(60), { streams: 0 }, half).slots).toBe(100);
    });

    test('lowers the slots to `start` when the speed is no longer known', () => {
      expect(decideFor(1, full, { slowdown: undefined }, half).slots).toBe(100);
    });

    test('does not raise the slots above the number that a slow machine can serve', () => {
      expect(decideFor(300, first, { slowdown: 1.6 }, half).slots).toBe(125);
    });
  });

  test('never offers more than `most` or fewer than `least` slots', () => {
    expect(decideFor(60, full, { slowdown: 0.5 }).slots).toBe(200);
    expect(decideFor(60, full, { slowdown: 16 }).slots).toBe(50);
  });

  test('does not lower the slots of a model if its runs are slow only because other models use a share of the time', () => {
    expect(decideFor(60, full, { slowdown: 2 }, { ...LIMITS, share: 0.5 }).slots).toBe(200);
    expect(decideFor(1, full, { slowdown: 3 }, { ...LIMITS, share: 0.5 }).slots).toBe(133);
  });

  test('if streams are late, divides the slots by the slowdown of the last seconds, and lowers the slots no further until the streams in excess of the slots end', () => {
    const late = { recentSlowdown: 2, lateStreams: 100, streams: 200 };
    expect(decideFor(1, full, late).slots).toBe(100);
    expect(decideFor(30, full, late).slots).toBe(100);
  });

  test('lowers the slots by a tenth every 3 s while streams are late although runs are not slower than at warm-up', () => {
    expect(decideFor(7, full, { lateStreams: 50, streams: 150 }).slots).toBe(145);
  });

  test('ignores late streams of an inference thread that is idle most of the time', () => {
    expect(decideFor(60, full, { lateStreams: 2, streams: 2, busy: 0.2, recentSlowdown: 10 }).slots).toBe(200);
  });

  test('raises the slots step by step, but not before 15 s without late streams', () => {
    const late = decideFor(1, full, { recentSlowdown: 2, lateStreams: 100 });
    expect(decideFor(14, late, {}, LIMITS, SECOND).slots).toBe(100);
    const risen = decideFor(1, late, {}, LIMITS, 15 * SECOND);
    expect(risen.slots).toBe(110);
    expect(decideFor(60, risen, {}, LIMITS, 16 * SECOND).slots).toBe(200);
  });

  test('if SLOTS is set, lowers the slots to the number that the engine can serve, but only while the speed is known', () => {
    const limits = { ...LIMITS, measured: 80 };
    expect(decideFor(1, full, {}, limits).slots).toBe(80);
    expect(decideFor(1, full, { slowdown: undefined }, limits).slots).toBe(200);
  });

  test('keeps the slots within the limits, lowers them to what the speed allows, and stops changing them when the speed stays constant', () => {
    const phase = fc.record({
      slowdown: fc.option(fc.double({ min: 0.25, max: 16, noNaN: true }), { nil: undefined }),
      lateStreams: fc.nat(300),
      streams: fc.nat(300),
      busy: fc.double({ min: 0, max: 1, noNaN: true }),
      seconds: fc.integer({ min: 1, max: 30 }),
    });
    fc.assert(
      fc.property(fc.array(phase, { minLength: 1, maxLength: 4 }), (phases) => {
        let [state, atMs] = [full, 0];
        for (const { seconds, slowdown, ...seen } of phases) {
          for (let i = 0; i < seconds; i++, atMs += SECOND) {
            state = decideFor(1, state, { slowdown, recentSlowdown: slowdown, ...seen }, LIMITS, atMs);
            expect(state.slots).toBeGreaterThanOrEqual(LIMITS.least);
            expect(state.slots).toBeLessThanOrEqual(LIMITS.most);
            const goal = Math.max(LIMITS.least, LIMITS.measured / (slowdown ?? 0.1));
            expect(state.slots * 0.95).toBeLessThanOrEqual(Math.max(goal, 1));
          }
        }
        const settled = decideFor(120, state, {}, LIMITS, atMs);
        expect(settled.slots).toBe(200);
        expect(decideFor(60, settled, {}, LIMITS, atMs + 120 * SECOND)).toEqual(settled);
      }),
    );
  });
});

test.each([
  [100, 100, 0],
  [105, 100, 0],
  [110, 100, 10],
  [100, 25, 75],
  [0, 1, 0],
])(
  'of %d streams on %d slots, excessShare counts %d as excess during the minute after a stream was late, and none later',
  (streams, slots, moves) => {
    const state = { ...initialSlots(slots), lateAtMs: 0 };
    const seen = { ...QUIET, nowMs: 59_999, streams };
    expect(Math.round(excessShare(state, seen, LIMITS) * streams)).toBe(moves);
    expect(excessShare(state, { ...seen, nowMs: 60_000 }, LIMITS)).toBe(0);
  },
);

test('excessShare is 0 if the worker offers fewer slots only because streams send no audio', () => {
  const limits = { ...LIMITS, start: 100 };
  const quiet = decideFor(60, initialSlots(200), { ...QUIET, streams: 180 }, limits);
  expect(quiet.slots).toBe(100);
  expect(excessShare(quiet, { ...QUIET, nowMs: 60_000, streams: 180 }, limits)).toBe(0);
  // The streams send audio again, and the slots have not risen yet.
  expect(excessShare(quiet, { ...QUIET, slowdown: 1, nowMs: 60_000, streams: 180 }, limits)).toBe(0);
});

test('excessShare is greater than 0 for a machine that is too slow for its streams, even if no stream is late', () => {
  const slow = { ...QUIET, slowdown: 2, nowMs: 0, streams: 180 };
  expect(excessShare(decideSlots(full, slow, LIMITS), slow, LIMITS) * 180).toBeCloseTo(80);
});
