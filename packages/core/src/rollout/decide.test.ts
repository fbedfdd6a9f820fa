import { NO_COUNTS } from './counts.ts';
import type { RevisionCounts } from './counts.ts';
import { decideRollout } from './decide.ts';
import type { RevisionObservation, RolloutDecision, RolloutInput } from './decide.ts';
import { NO_ROLLOUT } from './state.ts';
import type { RolloutState } from './state.ts';

const SPEC = { canaryPercent: 20, maxFailurePercent: 1, maxDeltaP95Ms: 500, windowSeconds: 300 };
const SECOND = 1000;
const STABLE: RolloutState = { ...NO_ROLLOUT, stable: 'old' };
const seen = (running: number, ready = running, more: Partial<RevisionObservation> = {}): RevisionObservation => ({
  running,
  ready,
  troubled: false,
  counts: NO_COUNTS,
  ...more,
});
const failing: RevisionCounts = { ...NO_COUNTS, streams: 50, failures: 10 };

/** A model whose rollout is looked at again and again. */
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

test('the first revision of a model is good, since there is no other', () => {
  expect(createRollout(NO_ROLLOUT)({}, 0)).toMatchObject({ phase: 'Steady', revision: 'new', percent: 100 });
});

test('goes from starting to canary to rolling to steady', () => {
  const look = createRollout();
  expect(look({ old: seen(4) }, 0)).toMatchObject({ phase: 'Starting', revision: 'new', stable: 'old', percent: 20 });
  expect(look({ old: seen(4), new: seen(1, 0) }, 5 * SECOND).phase).toBe('Starting');
  const canary = { old: seen(4), new: seen(1) };
  expect(look(canary, 10 * SECOND)).toMatchObject({ phase: 'Canary', stable: 'old', percent: 20 });
  expect(look(canary, 309 * SECOND).phase).toBe('Canary');
  expect(look(canary, 310 * SECOND)).toMatchObject({ phase: 'Rolling', stable: 'old', percent: 100 });
  expect(look({ old: seen(1, 0), new: seen(4) }, 320 * SECOND).phase).toBe('Rolling');
  expect(look({ new: seen(4) }, 330 * SECOND)).toMatchObject({
    phase: 'Steady',
    stable: undefined,
    state: { stable: 'new' },
  });
});

test('without a canary all goes over at once, and is watched for as long', () => {
  const look = createRollout(STABLE, { canaryPercent: 0 });
  expect(look({ old: seen(2) }, 0)).toMatchObject({ phase: 'Starting', percent: 100 });
  expect(look({ old: seen(2), new: seen(1) }, 0).phase).toBe('Rolling');
  expect(look({ new: seen(2) }, 299 * SECOND).phase).toBe('Rolling');
  expect(look({ new: seen(2) }, 300 * SECOND).phase).toBe('Steady');
});

test.each([0, 20])('failures take it back, with canaryPercent %i, and it is not tried again', (canaryPercent) => {
  const look = createRollout(STABLE, { canaryPercent });
  look({ old: seen(4), new: seen(1) }, 0);
  const bad = { old: seen(4), new: seen(1, 1, { counts: failing }) };
  expect(look(bad, 10 * SECOND)).toMatchObject({
    phase: 'RolledBack',
    revision: 'old',
    percent: 100,
    message: expect.stringContaining('10 of 50 streams failed'),
    state: { stable: 'old', rejected: { revision: 'new', reason: 'Failures' } },
  });
  expect(look({ old: seen(4) }, 9999 * SECOND).phase).toBe('RolledBack');
});

test('what was counted before it took sessions this time is not held against it', () => {
  const look = createRollout();
  const again = { old: seen(4), new: seen(1, 1, { counts: failing }) };
  expect(look(again, 0).phase).toBe('Canary');
  expect(look(again, SECOND).phase).toBe('Canary');
});

test('another revision is tried after one that was taken back, and that one again when the model asks for it anew', () => {
  const rejected = { revision: 'new', reason: 'Failures', message: '' } as const;
  const look = createRollout({ ...STABLE, rejected });
  expect(look({ old: seen(4) }, 0).phase).toBe('RolledBack');
  expect(look({ old: seen(4) }, 0, { wanted: 'third' })).toMatchObject({ phase: 'Starting', revision: 'third' });
  expect(look({ old: seen(4) }, 0)).toMatchObject({ phase: 'Starting', revision: 'new' });
});

test('a model that returns to the revision before in the middle of a rollout is steady at once', () => {
  const look = createRollout();
  look({ old: seen(4), new: seen(1) }, 0);
  expect(look({ old: seen(4), new: seen(1) }, SECOND, { wanted: 'old' })).toMatchObject({
    phase: 'Steady',
    revision: 'old',
    state: { candidate: undefined },
  });
});

test('a pool without workers has nothing to protect, unless the new revision does not start', () => {
  const look = createRollout();
  expect(look({ old: seen(0) }, 0)).toMatchObject({ phase: 'Starting', stable: undefined, percent: 100 });
  const troubled = { old: seen(0), new: seen(1, 0, { troubled: true }) };
  expect(look(troubled, SECOND)).toMatchObject({ phase: 'Starting', stable: 'old' });
  expect(look({ old: seen(0), new: seen(1) }, 2 * SECOND).phase).toBe('Rolling');
});

test('time in which nobody could look, or nobody worked, does not count as watched', () => {
  const look = createRollout();
  look({ old: seen(4), new: seen(1) }, 0);
  expect(look(undefined, 100 * SECOND)).toMatchObject({ phase: 'Canary', stable: 'old' });
  expect(look({ old: seen(4), new: seen(1) }, 400 * SECOND).phase).toBe('Canary');
  expect(look({ old: seen(4), new: seen(1, 0) }, 800 * SECOND).phase).toBe('Canary');
  expect(look({ old: seen(4), new: seen(1) }, 1099 * SECOND).phase).toBe('Canary');
  expect(look({ old: seen(4), new: seen(1) }, 1100 * SECOND).phase).toBe('Rolling');
});
