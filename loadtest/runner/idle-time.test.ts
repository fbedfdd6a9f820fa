import { parseCpuTime, watchIdleTime } from './idle-time.ts';

test('parseCpuTime returns total and idle time of all cores, and counts the wait for a disk as idle time', () => {
  expect(parseCpuTime('cpu  100 20 30 400 50 6 7 8 1000 1000\ncpu0 1 1 1 1 1 1 1 1 1 1\n')).toEqual({
    total: 621,
    idle: 450,
  });
});

test('watchIdleTime measures only the time between two readings at which the condition is true', () => {
  const readings = [
    { total: 0, idle: 0 },
    { total: 100, idle: 30 },
  ];
  const share = (conditions: boolean[]) => {
    const left = [...readings];
    const watch = watchIdleTime(
      () => conditions.shift() ?? false,
      () => left.shift() ?? { total: 0, idle: 0 },
    );
    watch.stop();
    return watch.share;
  };
  expect(share([true, true])).toBe(0.3);
  expect(share([true, false])).toBeNull();
  expect(share([false, true])).toBeNull();
});
