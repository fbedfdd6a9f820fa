import fc from 'fast-check';
import { createFakeClock } from '../testing/fake-clock.ts';
import { createFakeLease } from '../testing/fake-lease.ts';
import type { LeaseConnection } from '../testing/fake-lease.ts';
import { createTestLogger } from '../testing/logs.ts';
import { readRecord } from './election/record.ts';
import { Elector } from './leader.ts';

const LEASE_SECONDS = 15;

/** Lets all pending promises settle. Code that waits for a timer does not continue. */
async function settle(): Promise<void> {
  for (let n = 0; n < 10; n++) await new Promise((resolve) => setImmediate(resolve));
}

interface Candidate {
  elector: Elector;
  line: LeaseConnection;
  elected: number;
  lost: string[];
}

function setUp() {
  const clock = createFakeClock();
  const fakeLease = createFakeLease(clock);
  const { logger } = createTestLogger();
  const candidates: Candidate[] = [];
  let started = 0;
  const join = (): Candidate => {
    const identity = `candidate-${++started}`;
    const line = fakeLease.connect();
    const candidate: Candidate = { line, elected: 0, lost: [], elector: undefined as unknown as Elector };
    candidate.elector = new Elector({
      api: line.api,
      name: 'svc-asr-operator',
      identity,
      leaseSeconds: LEASE_SECONDS,
      renewMs: 10_000,
      retryMs: 2000,
      onElected: () => (candidate.elected += 1),
      onLost: (reason) => candidate.lost.push(reason),
      logger,
      clock,
      // Each candidate has a different wall clock, because the election must not depend on the clocks of the machines.
      wallMs: () => clock.nowMs() + started * 86_400_000,
      random: () => 0.5,
    });
    candidates.push(candidate);
    candidate.elector.start();
    return candidate;
  };
  const leaders = () => candidates.filter(({ elector }) => elector.gate.isOpen()).length;
  const pass = async (ms: number, stepMs = 250) => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      clock.advance(stepMs);
      await settle();
    }
  };
  const holder = () => {
    const lease = fakeLease.lease();
    return lease && readRecord(lease).holder;
  };
  return { fakeLease, clock, join, leaders, pass, holder, candidates };
}

test('of two candidates that start together, one becomes and stays the leader', async () => {
  const { join, leaders, pass, holder } = setUp();
  const [first, second] = [join(), join()];
  await settle();
  expect(leaders()).toBe(1);
  await pass(60_000, 1000);
  expect([leaders(), holder(), first.elected + second.elected]).toEqual([1, 'candidate-1', 1]);
  expect([...first.lost, ...second.lost]).toEqual([]);
});

test('a leader that no longer reaches the API server is replaced within one lease duration and one retry', async () => {
  const { join, pass, candidates } = setUp();
  const first = join();
  await pass(3000);
  const second = join();
  await pass(3000);
  first.line.fault = 'refuse';
  await pass(LEASE_SECONDS * 1000 - 3000);
  expect(second.elector.gate.isOpen()).toBe(false);
  await pass(3000 + 2500);
  expect(second.elector.gate.isOpen()).toBe(true);
  expect(candidates.map(({ elected }) => elected)).toEqual([1, 1]);
});

test('a leader that cannot renew its lease stops writing before another candidate may take over', async () => {
  const { join, pass } = setUp();
  const first = join();
  await settle();
  const { gate } = first.elector;
  const signal = gate.signal();
  first.line.fault = 'refuse';
  await pass(9750);
  expect([gate.isOpen(), signal.aborted]).toEqual([true, false]);
  await pass(250);
  expect([gate.isOpen(), signal.aborted, gate.signal().aborted]).toEqual([false, true, true]);
});

test('after an outage of the API server the leader resumes, because no other candidate has taken the lease', async () => {
  const { join, pass, candidates } = setUp();
  const [first, second] = [join(), join()];
  await pass(1000);
  for (const { line } of candidates) line.fault = 'refuse';
  await pass(60_000, 1000);
  expect([first.elector.gate.isOpen(), second.elector.gate.isOpen()]).toEqual([false, false]);
  first.line.fault = 'none';
  await pass(3000);
  second.line.fault = 'none';
  await pass(30_000, 1000);
  expect([first.elector.gate.isOpen(), first.elector.gate.signal().aborted]).toEqual([true, false]);
  expect(candidates.map(({ elected, lost }) => [elected, lost])).toEqual([
    [1, []],
    [0, []],
  ]);
});

test('a leader whose renewals succeed but whose responses are lost recognizes the lease as its own', async () => {
  const { join, pass } = setUp();
  const first = join();
  await settle();
  first.line.fault = 'lose';
  await pass(5000);
  first.line.fault = 'none';
  await pass(3000);
  expect([first.elector.gate.isOpen(), first.lost]).toEqual([true, []]);
});

test('a leader that finds another holder when it reaches the API server again loses leadership permanently', async () => {
  const { join, pass } = setUp();
  const first = join();
  await settle();
  const second = join();
  first.line.fault = 'refuse';
  await pass(30_000, 1000);
  expect([first.lost, second.elector.gate.isOpen()]).toEqual([[], true]);
  first.line.fault = 'none';
  await pass(3000);
  expect(first.lost).toEqual(['candidate-2 holds the lease']);
  await second.elector.stop();
  await pass(30_000, 1000);
  expect(first.elector.gate.isOpen()).toBe(false);
});

test('a process that was frozen for a long time is not the leader when it resumes, even before its timers fire', async () => {
  const fakeLease = createFakeLease(createFakeClock());
  let nowMs = 0;
  const { logger } = createTestLogger();
  const elector = new Elector({
    api: fakeLease.connect().api,
    name: 'x',
    identity: 'a',
    leaseSeconds: 15,
    renewMs: 10_000,
    retryMs: 2000,
    logger,
    onElected: () => undefined,
    onLost: () => undefined,
    // Timers never fire, because the process is frozen.
    clock: { nowMs: () => nowMs, after: () => () => undefined },
  });
  elector.start();
  await settle();
  expect(elector.gate.isOpen()).toBe(true);
  nowMs = 9999;
  expect(elector.gate.isOpen()).toBe(true);
  nowMs = 10_000;
  expect(elector.gate.isOpen()).toBe(false);
});

test('a leader keeps leadership if renewals fail for less than renewMs', async () => {
  const { join, pass, leaders } = setUp();
  const first = join();
  await settle();
  for (let n = 0; n < 5; n++) {
    first.line.fault = 'refuse';
    await pass(5000);
    first.line.fault = 'none';
    await pass(5000);
  }
  expect([leaders(), first.lost]).toEqual([1, []]);
});

test('a leader that stops releases the lease, and another candidate takes it with its next attempt', async () => {
  const { join, pass, holder, candidates } = setUp();
  const first = join();
  await settle();
  const second = join();
  await pass(3000);
  await first.elector.stop();
  expect([first.elector.gate.isOpen(), holder(), first.lost]).toEqual([false, '', []]);
  await pass(2500);
  expect(second.elector.gate.isOpen()).toBe(true);
  expect(candidates.map(({ elected }) => elected)).toEqual([1, 1]);
});

test('a standby that stops does not change the lease', async () => {
  const { join, pass, holder, fakeLease } = setUp();
  join();
  await settle();
  const second = join();
  await pass(1000);
  const writes = fakeLease.writes();
  await second.elector.stop();
  expect([holder(), fakeLease.writes()]).toEqual(['candidate-1', writes]);
});

test('a leader whose lease was taken by another client loses leadership when it next tries to renew the lease', async () => {
  const { join, pass, fakeLease } = setUp();
  const first = join();
  await settle();
  const thief = fakeLease.connect();
  const lease = await thief.api.get(undefined as never, 'x');
  await thief.api.replace(undefined as never, {
    ...lease!,
    spec: { ...(lease!.spec as object), holderIdentity: 'thief' },
  });
  await pass(2500);
  expect(first.lost).toEqual(['thief holds the lease']);
});

test('for any faults and any candidates, there are never two leaders, and there is exactly one when nothing fails', async () => {
  const who = fc.nat({ max: 2 });
  const action = fc.oneof(
    fc.record({ do: fc.constantFrom('refuse' as const, 'lose' as const, 'slow' as const, 'none' as const), who }),
    fc.record({ do: fc.constantFrom('stop' as const, 'join' as const), who }),
    fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 80 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
      const { join, leaders, clock, candidates } = setUp();
      const check = () => expect(leaders()).toBeLessThanOrEqual(1);
      for (let n = 0; n < 3; n++) join();
      for (const one of actions) {
        if (one.do === 'pass') {
          for (let step = 0; step < one.ms; step++) {
            clock.advance(250);
            await settle();
            check();
          }
        } else if (one.do === 'stop') void candidates[one.who]?.elector.stop();
        else if (one.do === 'join') join();
        else {
          const candidate = candidates[one.who];
          if (candidate !== undefined) candidate.line.fault = one.do;
        }
        await settle();
        check();
      }
      for (const { line } of candidates) line.fault = 'none';
      join();
      for (let step = 0; step < 80; step++) {
        clock.advance(500);
        await settle();
        check();
      }
      expect(leaders()).toBe(1);
    }),
    { numRuns: 25 },
  );
});
