import fc from 'fast-check';
import { decideScaling } from './decide.ts';
import type { ScalingInput, ScalingSpec } from './decide.ts';
import { chooseDrains } from './drain.ts';
import { SLOTS_TOLERANCE } from './slots.ts';
import { initialScaling } from './state.ts';

const bounds = fc.tuple(fc.nat(10), fc.nat(30)).map(([min, more]) => ({ min, max: min + more }));
const spec: fc.Arbitrary<ScalingSpec> = fc
  .record({
    bounds,
    bufferSessions: fc.nat(20),
    bufferPercent: fc.nat(150),
    scaleDownDelaySeconds: fc.nat(120),
    idleToZeroSeconds: fc.nat(240),
  })
  .map(({ bounds: range, ...rest }) => ({
    mode: 'Sessions',
    provisionSeconds: 600,
    maxWaitSeconds: 120,
    ...range,
    ...rest,
  }));
const counts = fc.record({ active: fc.nat(150), held: fc.nat(20), waiting: fc.nat(20), refused: fc.nat(20) });
/** One step of a pool: elapsed time, load, and measured slots. */
const step = fc.record({
  afterMs: fc.integer({ min: 1, max: 20_000 }),
  load: fc.option(counts, { nil: undefined, freq: 8 }),
  slots: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 12 }),
  starting: fc.nat(3),
});
const steps = fc.array(step, { minLength: 1, maxLength: 60 });
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Runs a pool through the steps and returns the input and decision of each. */
function walk(of: ScalingSpec, taken: readonly Step[], workers = 0) {
  let nowMs = 0;
  let state = initialScaling(workers, nowMs);
  return taken.map(({ afterMs, load, slots, starting }) => {
    nowMs += afterMs;
    const input: ScalingInput = {
      spec: of,
      fixedSlots: 0,
      load: load && { ...load, readAtMs: nowMs },
      workers: slots.map((each) => ({ slots: each, active: 0 })),
      starting,
      arriving: starting,
      state,
      nowMs,
    };
    const decision = decideScaling(input);
    ({ state } = decision);
    return { input, ...decision };
  });
}

test('decideScaling stays between minimum and maximum while the load is known', () => {
  fc.assert(
    fc.property(spec, steps, fc.nat(60), (of, taken, workers) => {
      for (const { input, desired } of walk(of, taken, workers)) {
        expect(desired).toBeGreaterThanOrEqual(of.min);
        if (input.load !== undefined) expect(desired).toBeLessThanOrEqual(of.max);
      }
    }),
  );
});

test('decideScaling requests at most the minimum, or at most one worker if the minimum is zero, while the slots of a worker are unknown', () => {
  fc.assert(
    fc.property(spec, steps, (of, taken) => {
      const unmeasured = taken.map((one) => ({ ...one, slots: [] }));
      for (const { desired } of walk(of, unmeasured)) expect(desired).toBeLessThanOrEqual(Math.max(of.min, 1));
    }),
  );
});

test('decideScaling never reduces the number of workers while the load is unknown', () => {
  fc.assert(
    fc.property(spec, steps, fc.nat(60), (of, taken, workers) => {
      for (const { input, desired } of walk(of, taken, workers)) {
        if (input.load === undefined) expect(desired).toBeGreaterThanOrEqual(input.state.desired);
      }
    }),
  );
});

test('unless the maximum is reached, decideScaling requests enough workers for the demand, even if the workers with the fewest slots are kept', () => {
  fc.assert(
    fc.property(spec, steps, (of, taken) => {
      for (const { input, desired, state } of walk(of, taken)) {
        if (input.load === undefined || desired === of.max || state.slotsPerWorker === undefined) continue;
        const { active, held, waiting, refused } = input.load;
        const kept = input.workers.map(({ slots }) => slots).sort((a, b) => a - b);
        const further = Math.max(0, desired - kept.length) * state.slotsPerWorker;
        const sum = kept.slice(0, desired).reduce((total, slots) => total + slots, further);
        expect(sum).toBeGreaterThanOrEqual(active + held + waiting + refused);
      }
    }),
  );
});

test('decideScaling keeps the workers that the highest demand within scaleDownDelaySeconds needed', () => {
  fc.assert(
    fc.property(spec, steps, (of, taken) => {
      const walked = walk(of, taken);
      for (const [at, { input, desired }] of walked.entries()) {
        const sinceMs = input.nowMs - of.scaleDownDelaySeconds * 1000;
        const recent = walked.slice(0, at).filter(({ input: { nowMs } }) => nowMs > sinceMs);
        for (const earlier of recent) {
          const { load, spec: then } = earlier.input;
          const demand = load === undefined ? 0 : load.active + load.held + load.waiting + load.refused;
          const perWorker = earlier.state.slotsPerWorker ?? Infinity;
          const forDemand = Math.min(then.max, Math.ceil(demand / perWorker));
          expect(desired).toBeGreaterThanOrEqual(forDemand);
        }
      }
    }),
  );
});

test('decideScaling does not follow noise in load and measured slots after it has seen the peak of the noise', () => {
  const noise = fc.array(fc.record({ sessions: fc.nat(30), slots: fc.double({ min: 0, max: 1, noNaN: true }) }), {
    minLength: 5,
    maxLength: 20,
  });
  fc.assert(
    fc.property(spec, fc.integer({ min: 1, max: 100 }), noise, (of, base, pattern) => {
      // The noise repeats within scaleDownDelaySeconds, and the slots vary by less than SLOTS_TOLERANCE.
      const steady = { ...of, scaleDownDelaySeconds: pattern.length, max: 1000 };
      const low = 100;
      const steps = Array.from({ length: 5 }, () => pattern)
        .flat()
        .map(({ sessions, slots }) => ({
          afterMs: 1000,
          load: { active: base + sessions, held: 0, waiting: 0, refused: 0 },
          slots: [low + slots * low * SLOTS_TOLERANCE * 0.85],
          starting: 0,
        }));
      const desired = walk(steady, steps).map((decision) => decision.desired);
      expect(new Set(desired.slice(pattern.length)).size).toBe(1);
    }),
  );
});

test('decideScaling returns to the minimum when demand ends, and scales up from zero for the next session', () => {
  fc.assert(
    fc.property(spec, steps, (of, taken) => {
      const quiet = Array.from({ length: 60 }, () => ({
        afterMs: 10_000,
        load: { active: 0, held: 0, waiting: 0, refused: 0 },
        slots: [],
        starting: 0,
      }));
      const visitor = { ...quiet[0]!, load: { active: 0, held: 1, waiting: 0, refused: 0 } };
      const walked = walk(of, [...taken, ...quiet, visitor]);
      expect(walked.at(-2)?.desired).toBe(of.min);
      if (of.max > 0) expect(walked.at(-1)?.desired).toBeGreaterThan(0);
    }),
  );
});

test('chooseDrains chooses workers that are not ready first, then idle workers, and then busy workers', () => {
  const candidate = fc.record({ active: fc.nat(3), up: fc.boolean() });
  fc.assert(
    fc.property(fc.array(candidate, { maxLength: 20 }), fc.nat(25), (found, count) => {
      const candidates = found.map(({ active, up }, at) => ({ id: `w${at}`, active: up ? active : 0, ready: up }));
      const chosen = new Set(chooseDrains(candidates, count));
      expect(chosen.size).toBe(Math.min(count, candidates.length));
      const stay = candidates.filter(({ id }) => !chosen.has(id));
      for (const removed of candidates.filter(({ id }) => chosen.has(id))) {
        for (const kept of stay) {
          expect(removed.active).toBeLessThanOrEqual(kept.active);
          if (removed.ready) expect(kept.ready || kept.active < removed.active).toBe(true);
        }
      }
    }),
  );
});
