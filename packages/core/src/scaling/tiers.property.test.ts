import fc from 'fast-check';
import { initialScaling } from './state.ts';
import { decideTiers, fillTiers } from './tiers.ts';
import type { ObservedTier } from './tiers.ts';

const tier = fc
  .record({
    min: fc.integer({ min: 0, max: 2 }),
    more: fc.integer({ min: 0, max: 4 }),
    slotsPerWorker: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
    ready: fc.integer({ min: 0, max: 3 }),
    starting: fc.integer({ min: 0, max: 3 }),
    canStart: fc.boolean(),
  })
  .map(({ min, more, slotsPerWorker, ready, starting, canStart }) => ({
    name: '',
    min,
    max: min + more,
    slotsPerWorker,
    workers: Array.from({ length: slotsPerWorker === undefined ? 0 : ready }, () => ({
      slots: slotsPerWorker ?? 0,
      active: 0,
    })),
    running: (slotsPerWorker === undefined ? 0 : ready) + starting,
    canStart,
  }));
const tiers = fc
  .array(tier, { minLength: 1, maxLength: 4 })
  .map((all) => all.map((one, at): ObservedTier => ({ ...one, name: `t${at}` })));
const need = fc
  .tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 20 }))
  .map(([demand, buffer]) => ({ demand, slots: demand + buffer }));

const readySlots = ({ workers }: ObservedTier) => workers.reduce((sum, { slots }) => sum + slots, 0);

test('fillTiers keeps the workers of every tier between its min and max', () => {
  fc.assert(
    fc.property(tiers, need, (all, needed) => {
      const { counts } = fillTiers(all, needed);
      for (const { name, min, max } of all) {
        expect(counts.get(name)).toBeGreaterThanOrEqual(min);
        expect(counts.get(name)).toBeLessThanOrEqual(max);
      }
    }),
  );
});

test('fillTiers adds workers to a tier only if every preferred tier is at its maximum or cannot start workers', () => {
  fc.assert(
    fc.property(tiers, need, (all, needed) => {
      const { counts } = fillTiers(all, needed);
      for (const [at, { name, min, running }] of all.entries()) {
        if ((counts.get(name) ?? 0) <= Math.max(min, running)) continue;
        for (const earlier of all.slice(0, at)) {
          expect(!earlier.canStart || counts.get(earlier.name) === earlier.max).toBe(true);
        }
      }
    }),
  );
});

test('fillTiers provides the needed slots, or reports how many slots are missing', () => {
  fc.assert(
    fc.property(tiers, need, (all, needed) => {
      const { counts, missing, isMeasuring } = fillTiers(all, needed);
      if (isMeasuring) return;
      const provided = all.reduce((sum, one) => {
        const slots = (counts.get(one.name) ?? 0) * (one.slotsPerWorker ?? 0);
        return sum + (one.canStart ? slots : readySlots(one));
      }, 0);
      expect(provided + missing).toBeGreaterThanOrEqual(needed.slots);
    }),
  );
});

test('fillTiers keeps enough running workers of a tier to provide the needed slots that ready workers of preferred tiers do not provide', () => {
  fc.assert(
    fc.property(tiers, need, (all, needed) => {
      const { counts } = fillTiers(all, needed);
      let covered = 0;
      for (const one of all) {
        const { name, max, running, slotsPerWorker } = one;
        const uncovered = Math.max(0, needed.slots - covered);
        const kept =
          slotsPerWorker === undefined && uncovered > 0 ? running : Math.ceil(uncovered / (slotsPerWorker ?? 1));
        expect(counts.get(name)).toBeGreaterThanOrEqual(Math.min(max, running, kept));
        covered += readySlots(one);
      }
    }),
  );
});

test('fillTiers never returns more workers for a lower need', () => {
  fc.assert(
    fc.property(tiers, need, fc.integer({ min: 1, max: 50 }), (all, needed, less) => {
      const lower = { demand: Math.max(0, needed.demand - less), slots: Math.max(0, needed.slots - less) };
      const [more, fewer] = [fillTiers(all, needed), fillTiers(all, lower)];
      for (const { name } of all) expect(fewer.counts.get(name)).toBeLessThanOrEqual(more.counts.get(name) ?? 0);
    }),
  );
});

test('while the time without demand is below idleToZeroSeconds, decideTiers stops no running workers, even if they are not registered', () => {
  const spec = {
    mode: 'Sessions' as const,
    min: 0,
    max: 1,
    bufferSessions: 0,
    bufferPercent: 0,
    scaleDownDelaySeconds: 60,
    idleToZeroSeconds: 60,
    provisionSeconds: 60,
    maxWaitSeconds: 60,
  };
  const common = { min: 0, max: 9, workers: [], canStart: true };
  const found: ObservedTier[] = [
    { ...common, name: 'reserved', slotsPerWorker: 10, running: 2 },
    { ...common, name: 'spot', slotsPerWorker: undefined, running: 1 },
    { ...common, name: 'cpu', slotsPerWorker: 2, running: 5, canStart: false },
    { ...common, name: 'old', max: 0, slotsPerWorker: undefined, running: 3, canStart: false, isRemoved: true },
  ];
  let state = initialScaling(0, 0);
  const decide = (nowMs: number) => {
    const load = { active: 0, held: 0, waiting: 0, refused: 0, readAtMs: nowMs };
    const decision = decideTiers({ spec, load, tiers: found, starting: 11, arriving: 6, state, nowMs });
    state = decision.state;
    return decision.tiers;
  };
  for (const nowMs of [0, 20_000, 40_000]) {
    const sizes = decide(nowMs);
    for (const { name, running } of found) expect(sizes.get(name)).toBeGreaterThanOrEqual(running);
  }
});
