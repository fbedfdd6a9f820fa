import { FAULTS } from './fault-list.ts';
import type { FaultName } from './fault-list.ts';
import { Random } from '../../test/support/random.ts';
import { buildSchedule, endOf } from './schedule.ts';

const faults = Object.keys(FAULTS) as FaultName[];
const build = (seed: number, durationMs: number, intervalMs = 4500) =>
  buildSchedule(new Random(seed), { faults, durationMs, intervalMs, gateways: 2, workers: 3, sentinels: 3 });

test('schedules with the same options are equal for the same seed and differ for another seed', () => {
  expect(build(1, 600_000)).toEqual(build(1, 600_000));
  expect(build(1, 600_000)).not.toEqual(build(2, 600_000));
});

test('a schedule of 90 minutes has at least 1,000 faults, each kind of fault, and faults at the same time', () => {
  const plan = build(3, 90 * 60_000);
  expect(plan.length).toBeGreaterThanOrEqual(1000);
  expect(new Set(plan.map(({ name }) => name))).toEqual(new Set(faults));
  expect(plan.filter(({ atMs }, at) => atMs === plan[at - 1]?.atMs).length).toBeGreaterThan(100);
});

test('a schedule starts no fault of a gateway, worker or other part before the previous fault of this part has ended', () => {
  const until = new Map<string, number>();
  for (const fault of build(4, 90 * 60_000)) {
    const part = `${FAULTS[fault.name].target} ${fault.index}`;
    expect(fault.atMs).toBeGreaterThan(until.get(part) ?? -1);
    until.set(part, endOf(fault));
  }
});

test.each([1000, 3000, 4500])('a schedule with an interval of %i ms has at most two faults at the same time', (ms) => {
  const plan = build(6, 30 * 60_000, ms);
  const counts = plan.map(({ atMs }, at) => plan.slice(0, at + 1).filter((other) => endOf(other) > atMs).length);
  expect(Math.max(...counts)).toBe(2);
});

test('a schedule steps clocks ahead and back by each step size, and no other fault changes a clock', () => {
  const plan = build(7, 90 * 60_000);
  const sizes = [5000, 60_000, 3_600_000];
  const steps = (word: string) => new Set(plan.filter(({ name }) => name.startsWith(word)).map(({ stepMs }) => stepMs));
  expect(steps('ahead:')).toEqual(new Set(sizes));
  expect(steps('behind:')).toEqual(new Set(sizes.map((ms) => -ms)));
  const others = plan.filter(({ name }) => !/^(ahead|behind):/.test(name));
  expect(others.filter(({ stepMs }) => stepMs !== 0)).toEqual([]);
});

test('a schedule injects faults into every part, such as each gateway, worker and sentinel, and only into parts that exist', () => {
  const parts = new Set(build(5, 90 * 60_000).map(({ name, index }) => `${FAULTS[name].target} ${index}`));
  const several = [
    ['gateway', 2],
    ['sentinel', 3],
    ['worker', 3],
  ] as const;
  const expected = several.flatMap(([kind, count]) => Array.from({ length: count }, (_, at) => `${kind} ${at}`));
  expect([...parts].sort()).toEqual([...expected, 'api-server 0', 'operator 0', 'redis 0'].sort());
});
