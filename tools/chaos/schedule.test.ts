import { FAULTS } from './fault-list.ts';
import type { FaultName } from './fault-list.ts';
import { Random } from '../../test/support/random.ts';
import { buildSchedule } from './schedule.ts';

const faults = Object.keys(FAULTS) as FaultName[];
const build = (seed: number, durationMs: number) =>
  buildSchedule(new Random(seed), { faults, durationMs, intervalMs: 4500, gateways: 2, workers: 3 });

test('a schedule depends only on its seed', () => {
  expect(build(1, 600_000)).toEqual(build(1, 600_000));
  expect(build(1, 600_000)).not.toEqual(build(2, 600_000));
});

test('a schedule of 90 minutes has at least 1,000 faults, each kind of fault, and faults at the same time', () => {
  const plan = build(3, 90 * 60_000);
  expect(plan.length).toBeGreaterThanOrEqual(1000);
  expect(new Set(plan.map(({ name }) => name))).toEqual(new Set(faults));
  expect(plan.filter(({ atMs }, at) => atMs === plan[at - 1]?.atMs).length).toBeGreaterThan(100);
});

test('a schedule starts no fault of a gateway, worker or other part before the last fault of this part has ended', () => {
  const until = new Map<string, number>();
  for (const { name, index, atMs, lastsMs } of build(4, 90 * 60_000)) {
    const part = `${FAULTS[name].target} ${index}`;
    expect(atMs).toBeGreaterThan(until.get(part) ?? -1);
    until.set(part, atMs + lastsMs);
  }
});

test('a schedule hits every gateway and worker, and no other', () => {
  const parts = new Set(build(5, 90 * 60_000).map(({ name, index }) => `${FAULTS[name].target} ${index}`));
  expect([...parts].sort()).toEqual(
    ['gateway 0', 'gateway 1', 'operator 0', 'redis 0', 'worker 0', 'worker 1', 'worker 2'].sort(),
  );
});
