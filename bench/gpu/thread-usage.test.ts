import { busyThreads, readThreadUsage } from './thread-usage.ts';

test('readThreadUsage returns the CPU time of the threads of a process', () => {
  const usage = readThreadUsage(process.pid);
  expect(usage.get(String(process.pid))?.cpuSeconds).toBeGreaterThan(0);
});

test('busyThreads lists the busiest threads first, and combines idle threads into one entry', () => {
  const before = new Map([['1', { name: 'main', cpuSeconds: 5 }]]);
  const after = new Map([
    ['1', { name: 'main', cpuSeconds: 6 }],
    ['2', { name: 'io', cpuSeconds: 9 }],
    ['3', { name: 'idle', cpuSeconds: 0.1 }],
  ]);
  expect(busyThreads(before, after, 10)).toEqual([
    { name: 'io-2', cores: 0.9 },
    { name: 'main-1', cores: 0.1 },
    { name: 'others', cores: 0.01 },
  ]);
});
