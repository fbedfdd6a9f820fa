import { countIoThreads } from './threads.ts';

test.each([
  ['cpu', 0, 64, 1],
  ['cuda', 0, 2, 2],
  ['cuda', 0, 12, 3],
  ['cuda', 0, 64, 4],
  ['cuda', 1, 64, 1],
  ['cpu', 3, 1, 3],
])('countIoThreads with PROVIDER=%s, IO_THREADS=%d and %d cores is %d', (PROVIDER, IO_THREADS, cores, expected) => {
  expect(countIoThreads({ PROVIDER, IO_THREADS }, cores)).toBe(expected);
});
