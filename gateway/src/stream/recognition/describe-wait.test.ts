import { describeWait } from './describe-wait.ts';

test.each([
  [undefined, 'The service cannot assign a worker at the moment.'],
  [{ slots: 0, growth: '' as const }, 'No worker is ready yet.'],
  [{ slots: 0, growth: 'starting' as const }, 'The first worker is starting.'],
  [{ slots: 0, growth: 'provisioning' as const }, 'The first worker waits for a machine, which can take minutes.'],
  [{ slots: 4, growth: '' as const }, 'Every worker is busy. The session waits for a free slot.'],
  [{ slots: 4, growth: 'starting' as const }, 'Every worker is busy. Another worker is starting.'],
])('describeWait explains what a session waits for if the state of the pool is %j', (pool, message) => {
  const limit = 'The session ends in 80 s if there is no free slot by then.';
  expect(describeWait({ pool, remainingMs: 79_500 })).toBe(`${message} ${limit}`);
});
