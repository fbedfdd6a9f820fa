import { IoCounters } from './counters.ts';

test('IoCounters add up the samples of all threads', () => {
  const counters = IoCounters.create(3);
  const thread = new IoCounters(counters.memory);
  thread.addSamples(0, 100);
  thread.addSamples(2, 10);
  thread.addSamples(2, 1);
  expect(counters.samples).toBe(111);
});

test('the progress of IoCounters is the least progress that any thread has observed', () => {
  const counters = IoCounters.create(2);
  counters.setProgress(0, 7);
  expect(counters.progress).toBe(0);
  counters.setProgress(1, 5);
  expect(counters.progress).toBe(5);
});
