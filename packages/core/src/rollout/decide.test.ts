import { NO_COUNTS } from './counts.ts';
import type { RevisionCounts } from './counts.ts';
import { decideRollout } from './decide.ts';
import type { RevisionObservation, RolloutDecision, RolloutInput } from './decide.ts';
import { NO_ROLLOUT } from './state.ts';
import type { RolloutState } from './state.ts';

const SPEC = {
  canaryPercent: 20,
  maxFailurePercent: 1,
  maxDeltaP95Ms: 500,
  windowSeconds: 300,
  maxSurge: 1,
  maxUnavailable: 0,
  startSeconds: 60,
};
const SECOND = 1000;
const STABLE: RolloutState = { ...NO_ROLLOUT, stable: 'old' };
const seen = (running: number, ready = running, more: Partial<RevisionObservation> = {}): RevisionObservation => ({
  running,
  ready,
  counts: NO_COUNTS,
  ...more,
});
const failing: RevisionCounts = { ...NO_COUNTS, streams: 50, failures: 10 };

/** Returns a function that passes one observation to decideRollout and keeps the state for the next call. */
function createRollout(state: RolloutState = STABLE, spec: Partial<typeof SPEC> = {}, wanted = 'new') {
  let current = state;
  return (
    observed: Record<string, RevisionObservation> | undefined,
    nowMs: number,
    more: Partial<RolloutInput> = {},
  ): RolloutDecision => {
    const decision = decideRollout({
      state: current,
      spec: { ...SPEC, ...spec },
      wanted,
      observations: observed && new Map(Object.entries(observed)),
      nowMs,
      ...more,
    });
    current = decision.state;
    return decision;
  };
}

test('the first revision of a model is stable without a rollout', () => {
  expect(createRollout(NO_ROLLOUT)({}, 0)).toMatchObject({ phase: 'Steady', revision: 'new', percent: 100 });
});

test('a successful rollout passes through the phases Starting, Canary, Rolling and Steady', () => {
  const observe = createRollout();
  expect(observe({ old: seen(4) }, 0)).toMatchObject({
    phase: 'Starting',
    revision: 'new',
    stable: 'old',
    percent: 20,
  });
  expect(observe({ old: seen(4), new: seen(1, 0) }, 5 * SECOND).phase).toBe('Starting');
  const canary = { old: seen(4), new: seen(1) };
  expect(observe(canary, 10 * SECOND)).toMatchObject({ phase: 'Canary', stable: 'old', percent: 20 });
  expect(observe(canary, 309 * SECOND).phase).toBe('Canary');
  expect(observe(canary, 310 * SECOND)).toMatchObject({ phase: 'Rolling', stable: 'old', percent: 100 });
  expect(observe({ old: seen(1, 0), new: seen(4) }, 320 * SECOND).phase).toBe('Rolling');
  expect(observe({ new: seen(4) }, 330 * SECOND)).toMatchObject({
    phase: 'Steady',
    stable: undefined,
    state: { stable: 'new' },
  });
});

test('a rollout without a canary gives all sessions to the new revision at once, and observes this revision for the whole window', () => {
  const observe = createRollout(STABLE, { canaryPercent: 0 });
  expect(observe({ old: seen(2) }, 0)).toMatchObject({ phase: 'Starting', percent: 100 });
  expect(observe({ old: seen(2), new: seen(1) }, 0).phase).toBe('Rolling');
  expect(observe({ new: seen(2) }, 299 * SECOND).phase).toBe('Rolling');
  expect(observe({ new: seen(2) }, 300 * SECOND).phase).toBe('Steady');
});

test.each([0, 20])(
  'a rollout with canaryPercent %i is rolled back after failures, and is not repeated while the model specifies the same revision',
  (canaryPercent) => {
    const observe = createRollout(STABLE, { canaryPercent });
    observe({ old: seen(4), new: seen(1) }, 0);
    const bad = { old: seen(4), new: seen(1, 1, { counts: failing }) };
    expect(observe(bad, 10 * SECOND)).toMatchObject({
      phase: 'RolledBack',
      revision: 'old',
      percent: 100,
      message: expect.stringContaining('10 of 50 streams failed'),
      state: { stable: 'old', rejected: { revision: 'new', reason: 'Failures' } },
    });
    expect(observe({ old: seen(4) }, 9999 * SECOND).phase).toBe('RolledBack');
  },
);

test('a rollout whose workers do not become ready within startSeconds is rolled back and reports the cause', () => {
  const observe = createRollout();
  const starting = { old: seen(4), new: seen(1, 0, { startFailure: { message: 'no such image' } }) };
  // Time in which the new revision has no workers does not count towards startSeconds.
  observe({ old: seen(4) }, 0);
  observe({ old: seen(4) }, 1000 * SECOND);
  observe(starting, 1000 * SECOND);
  expect(observe(starting, 1059 * SECOND).phase).toBe('Starting');
  expect(observe(starting, 1060 * SECOND)).toMatchObject({
    phase: 'RolledBack',
    revision: 'old',
    message: 'revision new was rolled back: no worker was ready within 60 s: no such image',
    state: { rejected: { revision: 'new', reason: 'StartDeadline' } },
  });
  expect(observe({ old: seen(4), new: seen(1) }, 1061 * SECOND).phase).toBe('RolledBack');
});

test.each([0, 20])(
  'a rollout with canaryPercent %i is rolled back after a tier was blocked for startSeconds, even in phase Rolling',
  (canaryPercent) => {
    const observe = createRollout(STABLE, { canaryPercent, windowSeconds: 50 });
    const blocked = { old: seen(4), new: seen(3, 2, { blocked: { tier: 'reserved', message: 'no such driver' } }) };
    const free = { old: seen(4), new: seen(3, 2) };
    observe(free, 0);
    observe(blocked, SECOND);
    // The time for which a tier was blocked restarts after an observation without a blocked tier.
    observe(blocked, 40 * SECOND);
    observe(free, 41 * SECOND);
    observe(blocked, 42 * SECOND);
    expect(observe(blocked, 100 * SECOND).phase).toBe('Rolling');
    expect(observe(blocked, 101 * SECOND)).toMatchObject({
      phase: 'RolledBack',
      message: 'revision new was rolled back: no worker of tier reserved was ready within 60 s: no such driver',
    });
  },
);

test('a rollout is rolled back after startSeconds in which its workers failed to start and none of them ran', () => {
  const observe = createRollout();
  const failing = { old: seen(0), new: seen(0, 0, { startFailure: { message: 'exceeded quota' } }) };
  observe(failing, 0);
  expect(observe(failing, 59 * SECOND).phase).toBe('Starting');
  expect(observe(failing, 60 * SECOND)).toMatchObject({ phase: 'RolledBack', revision: 'old' });
});

test('a rollout is queued and serves only the stable revision while workers of the new revision cannot be created', () => {
  const observe = createRollout();
  observe({ old: seen(1) }, 0);
  const refused = { old: seen(0), new: seen(0, 0, { startFailure: { message: 'no Secret', isRefusal: true } }) };
  expect(observe(refused, SECOND)).toMatchObject({
    phase: 'Queued',
    revision: 'old',
    stable: undefined,
    percent: 100,
    message: 'revision new cannot be created: no Secret',
  });
  expect(observe({ old: seen(1) }, 2 * SECOND).phase).toBe('Starting');
});

test('a rollout with startSeconds 0 has no start deadline', () => {
  const observe = createRollout(STABLE, { startSeconds: 0 });
  observe({ old: seen(4), new: seen(1, 0) }, 0);
  expect(observe({ old: seen(4), new: seen(1, 0) }, 99_999 * SECOND).phase).toBe('Starting');
});

test('while mayStart is false, a rollout is queued and the stable revision serves; after its start, the rollout ignores mayStart', () => {
  const observe = createRollout();
  const queued = observe({ old: seen(4) }, 0, { mayStart: false });
  expect(queued).toMatchObject({ phase: 'Queued', revision: 'old', stable: undefined, percent: 100 });
  expect(observe({ old: seen(4) }, SECOND).phase).toBe('Starting');
  expect(observe({ old: seen(4) }, 2 * SECOND, { mayStart: false }).phase).toBe('Starting');
});

test('a rollout ignores failures from before the new revision accepted sessions', () => {
  const observe = createRollout();
  const again = { old: seen(4), new: seen(1, 1, { counts: failing }) };
  expect(observe(again, 0).phase).toBe('Canary');
  expect(observe(again, SECOND).phase).toBe('Canary');
});

test('after a rollback, another revision is tried at once, and the rejected revision is tried again only after the model has specified another revision', () => {
  const rejected = { revision: 'new', reason: 'Failures', message: '' } as const;
  const observe = createRollout({ ...STABLE, rejected });
  expect(observe({ old: seen(4) }, 0).phase).toBe('RolledBack');
  expect(observe({ old: seen(4) }, 0, { wanted: 'third' })).toMatchObject({ phase: 'Starting', revision: 'third' });
  expect(observe({ old: seen(4) }, 0)).toMatchObject({ phase: 'Starting', revision: 'new' });
});

test('a rollout ends immediately when the model specifies the stable revision again', () => {
  const observe = createRollout();
  observe({ old: seen(4), new: seen(1) }, 0);
  expect(observe({ old: seen(4), new: seen(1) }, SECOND, { wanted: 'old' })).toMatchObject({
    phase: 'Steady',
    revision: 'old',
    state: { candidate: undefined },
  });
});

test('if the stable revision has no workers, a rollout serves only the new revision, unless the new revision fails to start', () => {
  const observe = createRollout();
  expect(observe({ old: seen(0) }, 0)).toMatchObject({ phase: 'Starting', stable: undefined, percent: 100 });
  const failing = { old: seen(0), new: seen(1, 0, { startFailure: { message: 'crashes' } }) };
  expect(observe(failing, SECOND)).toMatchObject({ phase: 'Starting', stable: 'old' });
  expect(observe({ old: seen(0), new: seen(1) }, 2 * SECOND).phase).toBe('Rolling');
});

test('the observation window of a rollout excludes time without observations and time in which the new revision has no ready workers', () => {
  const observe = createRollout();
  observe({ old: seen(4), new: seen(1) }, 0);
  expect(observe(undefined, 100 * SECOND)).toMatchObject({ phase: 'Canary', stable: 'old' });
  expect(observe({ old: seen(4), new: seen(1) }, 400 * SECOND).phase).toBe('Canary');
  expect(observe({ old: seen(4), new: seen(1, 0) }, 800 * SECOND).phase).toBe('Canary');
  expect(observe({ old: seen(4), new: seen(1) }, 1099 * SECOND).phase).toBe('Canary');
  expect(observe({ old: seen(4), new: seen(1) }, 1100 * SECOND).phase).toBe('Rolling');
});
