import fc from 'fast-check';
import { decideScaling } from './decide.ts';
import { initialScaling, prolong } from './state.ts';

const spec = {
  ...({ mode: 'Sessions', min: 0, max: 50, bufferSessions: 1, bufferPercent: 10 } as const),
  scaleDownDelaySeconds: 60,
  idleToZeroSeconds: 60,
  provisionSeconds: 600,
  maxWaitSeconds: 120,
};

test('prolong() returns the same state as another call of decideScaling for an unchanged pool', () => {
  fc.assert(
    fc.property(fc.nat(100), fc.integer({ min: 1, max: 10_000 }), (active, restMs) => {
      const decide = (state: ReturnType<typeof initialScaling>, nowMs: number) =>
        decideScaling({
          spec,
          fixedSlots: 4,
          starting: 0,
          arriving: 0,
          state,
          nowMs,
          load: { active, held: 0, waiting: 0, refused: 0, readAtMs: nowMs },
          workers: Array.from({ length: state.desired }, () => ({ slots: 4, active: 0 })),
        }).state;
      const rests = decide(initialScaling(0, 0), 1000);
      expect(prolong(rests, 1000 + restMs)).toEqual(decide(rests, 1000 + restMs));
    }),
  );
});
