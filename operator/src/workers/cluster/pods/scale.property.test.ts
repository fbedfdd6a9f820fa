import fc from 'fast-check';
import { createSimulatedCluster } from '../../testing/simulated-cluster.ts';
import type { Actor } from '../../testing/simulated-cluster.ts';

const ACTORS: readonly Actor[] = [
  'kubelet',
  'pool',
  'operator sees pods',
  'operator sees its ReplicaSet',
  'operator',
  'controller sees pods',
  'controller sees replicas',
  'controller',
];
const world = fc.record({
  pods: fc.integer({ min: 1, max: 24 }),
  turns: fc.array(fc.record({ who: fc.constantFrom(...ACTORS), amount: fc.integer({ min: 0, max: 24 }) }), {
    maxLength: 120,
  }),
  wanted: fc.integer({ min: 0, max: 24 }),
  /** Whether workers become unready when they are chosen, as real ones do. */
  honest: fc.boolean(),
});

test('no pod goes that was not chosen, whoever hears late of what, and in the end those are gone that were', () => {
  fc.assert(
    fc.property(world, ({ pods, turns, wanted, honest }) => {
      const late = createSimulatedCluster({ pods, wanted, honest });
      for (const { who, amount } of turns) late.act(who, amount);
      for (let round = 0; round < 30; round++) for (const who of ACTORS) late.act(who, 1000);
      expect(late.wronglyTaken()).toEqual([]);
      expect(late.pods().filter(({ selectedForRemoval }) => selectedForRemoval)).toEqual([]);
      expect(late.pods()).toHaveLength(Math.min(wanted, pods));
    }),
    { numRuns: 200 },
  );
});
