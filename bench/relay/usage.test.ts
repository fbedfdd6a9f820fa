import { parseUsage, readUsage } from './usage.ts';

test('parseUsage adds user and system time, even if the program name contains spaces and parentheses', () => {
  const stat = '42 (a (b) c) S 1 42 42 0 -1 4194304 99 0 0 0 120 35 7 8 20 0 1 0 707571 3133440 390';
  expect(parseUsage(stat, 'Name:\ta (b) c\nVmHWM:\t    3072 kB\nVmRSS:\t    2048 kB\n')).toEqual({
    cpuSeconds: 1.55,
    residentBytes: 2_097_152,
    peakBytes: 3_145_728,
  });
});

test('readUsage returns CPU time and memory of a running process', () => {
  const { cpuSeconds, residentBytes } = readUsage(process.pid);
  expect(cpuSeconds).toBeGreaterThan(0);
  expect(residentBytes).toBeGreaterThan(1_000_000);
});
