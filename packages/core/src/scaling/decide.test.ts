import { decideScaling, LOAD_STALE_MS, STARVED_AFTER_MS } from './decide.ts';
import type { ScalingLoad, ScalingDecision, ScalingInput, ScalingSpec } from './decide.ts';
import { initialScaling } from './state.ts';

const SPEC: ScalingSpec = {
  mode: 'Sessions',
  min: 0,
  max: 20,
  bufferSessions: 4,
  bufferPercent: 10,
  scaleDownDelaySeconds: 300,
  idleToZeroSeconds: 600,
  provisionSeconds: 600,
  maxWaitSeconds: 120,
};
const SECOND = 1000;
const workersOf = (count: number, slots = 10) => Array.from({ length: count }, () => ({ slots, active: 0 }));
const load = (active: number, readAtMs: number, more: Partial<ScalingLoad> = {}): ScalingLoad => ({
  active,
  held: 0,
  waiting: 0,
  refused: 0,
  readAtMs,
  ...more,
});
const reasonsOf = ({ reasons }: ScalingDecision) => reasons.map(({ reason }) => reason);

/**
 * Returns a function that makes one decision for a pool and keeps its state. The desired workers are ready at the next
 * call.
 */
function createPool(changes: Partial<ScalingSpec> = {}, workers = 0, slots = 10) {
  let state = initialScaling(workers, 0, workers === 0 ? undefined : slots);
  return (active: number, nowMs: number, more: Partial<ScalingInput> = {}): ScalingDecision => {
    const decision = decideScaling({
      spec: { ...SPEC, ...changes },
      fixedSlots: 0,
      load: load(active, nowMs),
      workers: workersOf(state.desired, slots),
      starting: 0,
      arriving: 0,
      state,
      nowMs,
      ...more,
    });
    state = decision.state;
    return decision;
  };
}

test.each([
  { sessions: 6, workers: 1 },
  { sessions: 7, workers: 2 },
  { sessions: 36, workers: 4 },
  { sessions: 50, workers: 6 },
  { sessions: 81, workers: 9 },
  { sessions: 82, workers: 10 },
])(
  'decideScaling returns $workers workers of 10 slots for $sessions sessions and the buffer of free slots',
  ({ sessions, workers }) => {
    expect(createPool({}, 1)(sessions, 0).desired).toBe(workers);
  },
);

test('decideScaling counts each active, reserved, waiting or refused session as a demand of one slot', () => {
  const pool = createPool({ bufferSessions: 0, bufferPercent: 0 }, 1);
  expect(pool(0, 0, { load: load(7, 0, { held: 7, waiting: 7 }) }).desired).toBe(3);
  expect(pool(0, SECOND, { load: load(7, SECOND, { held: 7, waiting: 7, refused: 10 }) }).desired).toBe(4);
});

test('with demand, decideScaling wants one worker until the first worker has measured its slots, and then as many workers as the demand needs', () => {
  const pool = createPool({ bufferSessions: 0, bufferPercent: 0 });
  const crowd = (nowMs: number, more: Partial<ScalingInput>) =>
    pool(0, nowMs, { load: load(0, nowMs, { waiting: 20 }), ...more });
  const first = crowd(0, { workers: [] });
  expect([first.desired, ...reasonsOf(first)]).toEqual([1, 'Measuring']);
  expect(crowd(SECOND, { workers: [], starting: 1, arriving: 1 }).desired).toBe(1);
  const measured = crowd(2 * SECOND, { workers: workersOf(1, 8) });
  expect([measured.desired, ...reasonsOf(measured)]).toEqual([3]);
});

test('if a worker offers fewer slots than it measured, decideScaling scales for the offered slots, but expects the measured number from a new worker', () => {
  const slow = { slots: 4, measuredSlots: 10, active: 10 };
  const { desired, state } = createPool({ bufferSessions: 0, bufferPercent: 0 }, 1)(10, 0, { workers: [slow] });
  expect([desired, state.slotsPerWorker]).toEqual([2, 10]);
});

test('decideScaling wants the minimum number of workers even if the slots of a worker are unknown', () => {
  expect(createPool({ min: 3 })(50, 0, { workers: [] }).desired).toBe(3);
});

test('even without demand, decideScaling keeps one worker while the first worker of the pool is starting', () => {
  const pool = createPool({ bufferSessions: 0, bufferPercent: 0 });
  expect(pool(0, 0, { load: load(0, 0, { waiting: 1 }), workers: [] }).desired).toBe(1);
  for (let second = 1; second < 2000; second++) {
    const pending = { workers: [], starting: 1, arriving: 1 };
    expect(pool(0, second * SECOND, pending).desired).toBe(1);
  }
  const failing = { workers: [], starting: 1, arriving: 0 };
  expect(pool(0, 2000 * SECOND, failing).desired).toBe(1);
  for (let second = 2001; second < 2599; second++) pool(0, second * SECOND, failing);
  expect(pool(0, 2599 * SECOND, failing).desired).toBe(0);
});

test('decideScaling uses the fixed slots of the model before any worker has reported its slots', () => {
  expect(createPool({}, 1)(36, 0, { fixedSlots: 40, workers: [] }).desired).toBe(1);
});

test('with min 0, decideScaling wants no workers without demand, and workers for one session and the buffer of free slots as soon as the first session is reserved', () => {
  const pool = createPool();
  expect(pool(0, 0).desired).toBe(0);
  expect(pool(0, SECOND).desired).toBe(0);
  expect(pool(0, 2 * SECOND, { load: load(0, 2 * SECOND, { held: 1 }), fixedSlots: 1 }).desired).toBe(5);
});

test('decideScaling scales to the minimum after idleToZeroSeconds without demand', () => {
  for (const min of [0, 1]) {
    const pool = createPool({ min }, 1);
    pool(3, 0);
    for (let second = 1; second < 600; second++) expect(pool(0, second * SECOND).desired).toBe(1);
    const idle = pool(0, 600 * SECOND);
    expect(idle.desired).toBe(min);
    expect(reasonsOf(idle)).toEqual(['Idle']);
  }
});

test('decideScaling scales down only to the highest need of the last scaleDownDelaySeconds', () => {
  const pool = createPool({ min: 1, bufferSessions: 0, bufferPercent: 0 }, 1);
  expect(pool(90, 0).desired).toBe(9);
  expect(reasonsOf(pool(10, SECOND))).toEqual(['Stabilizing']);
  pool(50, 20 * SECOND);
  for (let second = 21; second < 300; second++) expect(pool(10, second * SECOND).desired).toBe(9);
  expect(pool(10, 300 * SECOND).desired).toBe(5);
  expect(pool(10, 319 * SECOND).desired).toBe(5);
  expect(pool(10, 320 * SECOND).desired).toBe(1);
});

test('decideScaling reports ScalingLimited when the load needs more than the maximum number of workers', () => {
  const limited = createPool({ max: 2 }, 1)(50, 0);
  expect(limited.desired).toBe(2);
  expect(limited.reasons).toEqual([
    {
      reason: 'ScalingLimited',
      message: '50 sessions and a buffer of 5 need 6 workers of 10 slots; scaling.max is 2',
    },
  ]);
});

test('decideScaling reports how many slots the workers offer if they offer fewer than they measured', () => {
  const workers = [{ slots: 4, measuredSlots: 10, active: 4 }];
  const [limited] = createPool({ max: 1 }, 1)(6, 0, { workers }).reasons;
  expect(limited?.message).toBe(
    '6 sessions and a buffer of 4 need 2 workers of 10 slots (ready workers offer 4 of 10 slots now); scaling.max is 1',
  );
});

test('decideScaling applies a changed minimum or maximum immediately', () => {
  expect(createPool({ min: 4 }, 1)(0, 0).desired).toBe(4);
  expect(createPool({ max: 2 }, 9)(90, 0).desired).toBe(2);
});

test.each([
  ['is unknown', undefined],
  ['is too old', load(0, -LOAD_STALE_MS)],
])(
  'decideScaling keeps the number of workers while the load %s, and for scaleDownDelaySeconds afterwards',
  (_, unknown) => {
    const pool = createPool({}, 7);
    for (let second = 1; second <= 1000; second++) {
      const held = pool(0, second * SECOND, { load: unknown });
      expect([held.desired, ...reasonsOf(held)]).toEqual([7, 'LoadUnknown']);
    }
    expect(pool(1, 1001 * SECOND).desired).toBe(7);
    expect(pool(1, 1299 * SECOND).desired).toBe(7);
  },
);

test('decideScaling scales up to the minimum while the load is unknown', () => {
  expect(createPool({ min: 2 })(0, 0, { load: undefined }).desired).toBe(2);
});

test('decideScaling removes no worker at the first decision after a period without decisions', () => {
  const pool = createPool({}, 7);
  pool(60, SECOND);
  expect(pool(0, 7200 * SECOND).desired).toBe(7);
});

test('decideScaling changes the expected slots of a worker only if the measured slots differ by at least 15 %', () => {
  const pool = createPool({ bufferSessions: 0, bufferPercent: 0 }, 10, 100);
  expect(pool(860, 0).desired).toBe(10);
  expect(pool(860, SECOND, { workers: workersOf(10, 86) }).state.slotsPerWorker).toBe(100);
  expect(pool(1000, 2 * SECOND, { workers: workersOf(10, 84) }).desired).toBe(12);
});

test('decideScaling adds a worker if the measured slots do not cover the demand, even if the expected slots differ from them by less than 15 %', () => {
  const pool = createPool({ bufferSessions: 0, bufferPercent: 0 }, 10, 100);
  expect(pool(950, 0, { workers: workersOf(10, 90) }).desired).toBe(11);
});

test('decideScaling adds a worker when sessions have waited for STARVED_AFTER_MS although slots are free', () => {
  const pool = createPool({}, 1);
  const waits = (nowMs: number, more: Partial<ScalingInput> = {}) =>
    pool(0, nowMs, { load: load(0, nowMs, { waiting: 1 }), workers: workersOf(1), ...more });
  expect(waits(0).desired).toBe(1);
  expect(waits(STARVED_AFTER_MS - 1).desired).toBe(1);
  const starved = waits(STARVED_AFTER_MS);
  expect([starved.desired, ...reasonsOf(starved)]).toEqual([2, 'Starved']);
  expect(waits(STARVED_AFTER_MS + 1, { starting: 1 }).desired).toBe(2);
  expect(waits(20 * SECOND, { starting: 1 }).desired).toBe(2);
});

test('decideScaling follows scaling.replicas between min and max in External mode', () => {
  const external = (replicas: number) => createPool({ mode: 'External', replicas, min: 1, max: 5 }, 2)(99, 0).desired;
  expect([0, 3, 9].map(external)).toEqual([1, 3, 5]);
  expect(createPool({ mode: 'External', max: 5 }, 2)(99, 0).desired).toBe(2);
});
