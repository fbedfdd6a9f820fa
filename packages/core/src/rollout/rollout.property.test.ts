import fc from 'fast-check';
import { decideRollout } from './decide.ts';
import type { RevisionObservation, RolloutDecision } from './decide.ts';
import { ENOUGH_DELTAS, ENOUGH_FAILURES, ENOUGH_STREAMS } from './gate.ts';
import { NO_ROLLOUT } from './state.ts';
import type { RolloutState } from './state.ts';

const REVISIONS = ['a', 'b', 'c'] as const;
const spec = fc.record({
  canaryPercent: fc.nat(100),
  maxFailurePercent: fc.integer({ min: 0, max: 50 }),
  maxDeltaP95Ms: fc.integer({ min: 1, max: 2000 }),
  windowSeconds: fc.nat(600),
  maxSurge: fc.nat(3),
  maxUnavailable: fc.nat(3),
  startSeconds: fc.nat(600),
});
const observation: fc.Arbitrary<RevisionObservation> = fc
  .record({
    running: fc.nat(5),
    up: fc.nat(5),
    failsToStart: fc.boolean(),
    streams: fc.nat(60),
    failures: fc.nat(8),
    latencies: fc.array(fc.nat(60), { minLength: 17, maxLength: 17 }),
  })
  .map(({ running, up, failsToStart, streams, failures, latencies }) => ({
    running,
    ready: Math.min(running, up),
    startFailure: failsToStart ? { message: 'crashes' } : undefined,
    counts: { streams: streams + failures, failures, latencies },
  }));
const step = fc.record({
  wanted: fc.constantFrom(...REVISIONS),
  // The wanted revision changes in one of ten steps.
  changes: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
  observations: fc.option(fc.record({ a: observation, b: observation, c: observation }), { nil: undefined, freq: 9 }),
  afterMs: fc.integer({ min: 0, max: 120_000 }),
});
const walkOf = fc.array(step, { minLength: 1, maxLength: 50 });
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Reconcile extends RolloutDecision {
  before: RolloutState;
  wanted: string;
  observations: ReadonlyMap<string, RevisionObservation> | undefined;
  nowMs: number;
}

function walk(of: typeof spec extends fc.Arbitrary<infer S> ? S : never, steps: readonly Step[]): Reconcile[] {
  let state: RolloutState = NO_ROLLOUT;
  let wanted = 'a';
  let nowMs = 0;
  return steps.map((taken) => {
    nowMs += taken.afterMs;
    if (taken.changes) ({ wanted } = taken);
    const observations = taken.observations && new Map(Object.entries(taken.observations));
    const before = state;
    const decision = decideRollout({ state, spec: of, wanted, observations, nowMs });
    ({ state } = decision);
    return { ...decision, before, wanted, observations, nowMs };
  });
}

test('a rollout keeps the stable revision while workers of that revision run, the workers are unknown, or the new revision fails to start', () => {
  fc.assert(
    fc.property(spec, walkOf, (of, steps) => {
      for (const { revision, stable, percent, phase, observations, state } of walk(of, steps)) {
        expect(percent).toBeGreaterThan(0);
        expect(percent).toBeLessThanOrEqual(100);
        if (phase === 'Steady' || phase === 'RolledBack') {
          expect(revision).toBe(state.stable);
          continue;
        }
        const runs = (observations?.get(state.stable ?? '')?.running ?? 0) > 0;
        const fails = observations?.get(revision)?.startFailure !== undefined;
        expect(stable === state.stable).toBe(observations === undefined || runs || fails);
      }
    }),
  );
});

test('in the phase Canary, the new revision receives canaryPercent of new sessions while the stable revision serves the others', () => {
  fc.assert(
    fc.property(spec, walkOf, (of, steps) => {
      for (const { phase, percent, stable } of walk(of, steps)) {
        if (phase === 'Canary' && stable !== undefined) expect(percent).toBe(of.canaryPercent);
      }
    }),
  );
});

test('a new revision replaces the stable revision only after the new revision was observed for the whole window', () => {
  fc.assert(
    fc.property(spec, walkOf, (of, steps) => {
      for (const { before, state } of walk(of, steps)) {
        if (before.stable === undefined || state.stable === before.stable) continue;
        // If windowSeconds is 0, a revision may replace the stable one in the step in which it becomes the candidate.
        if (of.windowSeconds > 0) expect(state.stable).toBe(before.candidate?.revision);
      }
      const reconciles = walk(of, steps);
      for (const [at, { before, state, nowMs }] of reconciles.entries()) {
        if (before.stable === undefined || state.stable === before.stable) continue;
        const started = reconciles.slice(0, at).findLastIndex((one) => one.state.candidate?.phase === 'starting');
        const first = reconciles[started + 1];
        if (first !== undefined) expect(nowMs - first.nowMs).toBeGreaterThanOrEqual(of.windowSeconds * 1000);
      }
    }),
  );
});

test('a rollback that no start deadline caused needs enough streams, failures or deltas, and lasts while the model specifies the rejected revision', () => {
  fc.assert(
    fc.property(spec, walkOf, (of, steps) => {
      const reconciles = walk(of, steps);
      for (const [at, { phase, before, state, observations, wanted }] of reconciles.entries()) {
        if (phase === 'RolledBack' && before.rejected?.revision !== wanted) {
          const { streams = 0, failures = 0, latencies = [] } = observations?.get(wanted)?.counts ?? {};
          const deltas = latencies.reduce((sum, count) => sum + count, 0);
          const enough = streams >= ENOUGH_STREAMS || failures >= ENOUGH_FAILURES || deltas >= ENOUGH_DELTAS;
          expect(enough || state.rejected?.reason === 'StartDeadline').toBe(true);
          expect(state.stable).toBe(before.stable);
        }
        const next = reconciles[at + 1];
        if (phase === 'RolledBack' && next?.wanted === wanted) expect(next.phase).toBe('RolledBack');
      }
    }),
  );
});

test('a failed observation changes neither the phase nor the stable revision of a rollout', () => {
  fc.assert(
    fc.property(spec, walkOf, (of, steps) => {
      for (const { before, state, observations, wanted } of walk(of, steps)) {
        if (observations !== undefined || before.stable === undefined || before.stable === wanted) continue;
        if (before.candidate?.revision !== wanted) continue;
        expect(state.candidate?.phase).toBe(before.candidate.phase);
        expect(state.stable).toBe(before.stable);
      }
    }),
  );
});
