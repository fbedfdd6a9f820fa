import { setTimeout as sleep } from 'node:timers/promises';
import { LedgerUnavailable } from '@svc-asr/ledger';
import { createLogger } from '@svc-asr/runtime';
import { eventually } from '../../../test/support/eventually.ts';
import { keepRegistered } from './registration.ts';
import type { Registration } from './registration.ts';

type RenewResult = 'ok' | 'draining' | 'gone';

/**
 * Creates a fake ledger that records its calls. Renewals return the results in `answers` in order, and then always the
 * last one.
 */
function fakeWorkers(answers: (RenewResult | Error)[]) {
  const asked: string[] = [];
  const answer = () => (answers.length > 1 ? answers.shift()! : answers[0]!);
  return {
    asked,
    register: () => {
      asked.push('register');
      return Promise.resolve();
    },
    renew: () => {
      asked.push('renew');
      const given = answer();
      return given instanceof Error ? Promise.reject(given) : Promise.resolve(given);
    },
    drain: (): Promise<void> => {
      asked.push('drain');
      return Promise.resolve();
    },
    remove: () => {
      asked.push('remove');
      return Promise.resolve();
    },
  };
}

const worker = { id: 'w', address: 'ws://127.0.0.1:1', revision: 'r', slots: 4 };

function keep(workers: ReturnType<typeof fakeWorkers>, progress?: () => number, syncClock = () => Promise.resolve()) {
  let moved = 0;
  let drained = 0;
  const registration: Registration = keepRegistered({
    workers,
    model: 'm',
    worker,
    startSlots: 2,
    renewMs: 5,
    progress: progress ?? (() => moved++),
    syncClock,
    onDrain: () => drained++,
    logger: createLogger('worker', 'silent'),
  });
  return { registration, drained: () => drained };
}

test('keepRegistered registers, renews the lease, and removes the registration on stop', async () => {
  const workers = fakeWorkers(['ok']);
  const { registration } = keep(workers);
  await eventually('renewals', 30_000, () => workers.asked.length > 3);
  expect(registration.registered).toBe(true);
  await registration.stop();
  expect(registration.registered).toBe(false);
  expect(workers.asked.slice(0, 3)).toEqual(['register', 'renew', 'renew']);
  const { length } = workers.asked;
  await sleep(30);
  expect(workers.asked.slice(length - 1)).toEqual(['remove']);
});

test('keepRegistered registers again at once when its lease is lost', async () => {
  const workers = fakeWorkers(['ok', 'gone', 'ok']);
  const { registration } = keep(workers);
  await eventually('renewals', 30_000, () => workers.asked.length > 5);
  await registration.stop();
  expect(workers.asked.slice(0, 5)).toEqual(['register', 'renew', 'renew', 'register', 'renew']);
});

test('keepRegistered retries while Redis is unavailable', async () => {
  const workers = fakeWorkers([new LedgerUnavailable('unavailable'), new Error('script failed'), 'ok']);
  const { registration } = keep(workers);
  await eventually('renewals', 30_000, () => workers.asked.length > 5);
  expect(registration.registered).toBe(true);
  await registration.stop();
  expect(workers.asked.slice(0, 4)).toEqual(['register', 'renew', 'renew', 'renew']);
});

test('resize() reports the new slots at once, and later renewals and registrations contain them too', async () => {
  const answers: RenewResult[] = ['ok'];
  const workers = fakeWorkers(answers);
  const offered: (number | undefined)[] = [];
  const registered: unknown[] = [];
  const { registration } = keep({
    ...workers,
    renew: (_model?: string, _id?: string, slots?: number) => {
      offered.push(slots);
      return workers.renew();
    },
    register: (_model?: string, entry?: unknown) => {
      registered.push(entry);
      return workers.register();
    },
  });
  await eventually('the registration', 30_000, () => registration.registered);
  registration.resize(3);
  expect(offered.at(-1)).toBe(3);
  answers.splice(0, 1, 'gone', 'ok');
  await eventually('another registration', 30_000, () => registered.length > 1);
  expect(registered[0]).toMatchObject({ slots: 2, measuredSlots: 4 });
  expect(registered[1]).toMatchObject({ slots: 3, measuredSlots: 4 });
  const { length } = offered;
  await eventually('renewals', 30_000, () => offered.length > length + 1);
  expect(offered.slice(length)).toEqual(expect.not.arrayContaining([4]));
  await registration.stop();
});

test('keepRegistered does not renew the lease of a worker whose inference makes no progress', async () => {
  const workers = fakeWorkers(['ok']);
  let progress = 1;
  const { registration } = keep(workers, () => progress);
  await eventually('the registration', 30_000, () => registration.registered);
  await sleep(30);
  expect(workers.asked).toEqual(['register']);
  progress++;
  await eventually('a renewal', 30_000, () => workers.asked.includes('renew'));
  await registration.stop();
});

test('when the operator drains a worker, keepRegistered calls onDrain only once and renews the lease, but never registers again', async () => {
  const workers = fakeWorkers(['draining', 'draining', 'gone']);
  const { registration, drained } = keep(workers);
  await eventually('the lost lease', 30_000, () => registration.draining && !registration.registered);
  await sleep(30);
  expect(workers.asked).toEqual(['register', 'renew', 'renew', 'renew']);
  expect(drained()).toBe(1);
  await registration.stop();
});

test('if the ledger refuses the report that a worker drains, keepRegistered still renews the lease of this worker', async () => {
  const workers = fakeWorkers(['ok']);
  const drain = () => {
    workers.asked.push('drain');
    return Promise.reject(new Error('unknown function'));
  };
  const { registration } = keep({ ...workers, drain });
  await eventually('the registration', 30_000, () => registration.registered);
  await expect(registration.drain()).rejects.toThrow('unknown function');
  const { length } = workers.asked;
  await eventually('renewals', 30_000, () => workers.asked.slice(length).filter((call) => call === 'renew').length > 2);
  expect(workers.asked.slice(length, length + 4)).toEqual(['drain', 'renew', 'drain', 'renew']);
  await registration.stop();
});

test('drain() repeats its report until Redis has answered, keeps the lease, and does not call onDrain', async () => {
  const workers = fakeWorkers(['draining']);
  let reports = 0;
  const drain = () => {
    workers.asked.push('drain');
    return reports++ === 0 ? Promise.reject(new LedgerUnavailable('unavailable')) : Promise.resolve();
  };
  const { registration, drained } = keep({ ...workers, drain });
  await expect(registration.drain()).rejects.toThrow('unavailable');
  expect(registration.draining).toBe(true);
  await eventually('renewals after the second report', 30_000, () => {
    return reports === 2 && workers.asked.slice(workers.asked.lastIndexOf('drain')).length > 3;
  });
  await registration.drain();
  expect([reports, drained()]).toEqual([2, 0]);
  await registration.stop();
});

test('keepRegistered reads the clock of Redis before it registers, and registers even if it cannot read the clock', async () => {
  const workers = fakeWorkers(['ok']);
  const { registration } = keep(workers, undefined, () => {
    workers.asked.push('clock');
    return Promise.reject(new Error('NOPERM'));
  });
  await eventually('renewals', 30_000, () => workers.asked.length > 5);
  await registration.stop();
  expect(workers.asked.slice(0, 4)).toEqual(['clock', 'register', 'clock', 'renew']);
});
