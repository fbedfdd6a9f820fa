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
const simulation = fc.record({
  pods: fc.integer({ min: 1, max: 24 }),
  steps: fc.array(fc.record({ actor: fc.constantFrom(...ACTORS), amount: fc.integer({ min: 0, max: 24 }) }), {
    maxLength: 120,
  }),
  wanted: fc.integer({ min: 0, max: 24 }),
  unreadyWhenSelected: fc.boolean(),
});

test('decideScale removes only pods selected for removal, and finally all of them, in whatever order it observes changes', () => {
  fc.assert(
    fc.property(simulation, ({ pods, steps, wanted, unreadyWhenSelected }) => {
      const cluster = createSimulatedCluster({ pods, wanted, unreadyWhenSelected });
      for (const { actor, amount } of steps) cluster.act(actor, amount);
      for (let round = 0; round < 30; round++) for (const actor of ACTORS) cluster.act(actor, 1000);
      expect(cluster.wronglyRemoved()).toEqual([]);
      expect(cluster.pods().filter(({ selectedForRemoval }) => selectedForRemoval)).toEqual([]);
      expect(cluster.pods()).toHaveLength(Math.min(wanted, pods));
    }),
    { numRuns: 200 },
  );
});
