import fc from 'fast-check';
import { coalesce } from './coalesce.ts';

/** Wraps a task with coalesce. The test decides when and how each run ends. */
function setUp() {
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  let started = 0;
  const call = coalesce(() => {
    started += 1;
    return new Promise<void>((resolve, reject) => ends.push({ resolve, reject }));
  });
  return { call, ends, started: () => started };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('coalesce() runs the task only once more for all calls that arrive while the task runs', async () => {
  const { call, ends, started } = setUp();
  const first = call();
  const later = [call(), call(), call()];
  expect(started()).toBe(1);
  ends[0]!.resolve();
  await first;
  await settle();
  expect(started()).toBe(2);
  ends[1]!.resolve();
  await Promise.all(later);
  expect(started()).toBe(2);
});

test('coalesce() rejects only the calls that share the run that failed', async () => {
  const { call, ends } = setUp();
  const first = call();
  const later = [call(), call()];
  ends[0]!.reject(new Error('first'));
  await expect(first).rejects.toThrow('first');
  await settle();
  ends[1]!.resolve();
  await Promise.all(later);
});

test('each call of coalesce() resolves after a run that started after the call, and no two runs overlap', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 40 }), async (pauses) => {
      let running = 0;
      let clock = 0;
      let lastStartedAt = 0;
      const call = coalesce(async () => {
        expect(++running).toBe(1);
        lastStartedAt = ++clock;
        await Promise.resolve();
        await Promise.resolve();
        running -= 1;
      });
      const calls: Promise<void>[] = [];
      for (const turns of pauses) {
        const calledAt = ++clock;
        calls.push(call().then(() => expect(lastStartedAt).toBeGreaterThan(calledAt)));
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      }
      await Promise.all(calls);
    }),
  );
});
