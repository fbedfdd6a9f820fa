import { LedgerUnavailable } from '@svc-asr/ledger';
import { checkResource } from '@svc-asr/core';
import type { Kind, Problem, Resource } from '@svc-asr/core';
import { LedgerMissing } from '../ledger/guard.ts';
import { createNotices } from '../notices.ts';
import { PhaseFailed } from '../failure/phase-failed.ts';
import { eventually } from '../testing/eventually.ts';
import { createTestLogger } from '../testing/logs.ts';
import { tenant } from '../testing/resources.ts';
import type { AnyStatus, StatusNews } from './change.ts';
import { createStatusReporter } from './reporter.ts';

const NEVER = { ASRModel: 1e6, Tenant: 1e6, ApiKey: 1e6 };

function goodTenant(name: string, generation: number): Resource {
  const checked = checkResource({ ...tenant(name), metadata: { name, generation } });
  if (!checked.ok) throw new Error('the test made a bad resource');
  return checked.value;
}

function setUp({ intervalMs = NEVER, names = ['acme'] }: { intervalMs?: Record<Kind, number>; names?: string[] } = {}) {
  const { logger, at } = createTestLogger();
  const told: [string, StatusNews][] = [];
  const state = {
    good: new Map(names.map((name) => [name, goodTenant(name, 2)])),
    problems: undefined as Problem[] | undefined,
    current: {} as AnyStatus,
    refuse: undefined as ((name: string) => Error | undefined) | undefined,
    gathered: 0,
    swept: 0,
  };
  const gather = (name: string) => {
    state.gathered += 1;
    const error = state.refuse?.(name);
    return error === undefined ? Promise.resolve({ fields: { liveSessions: 1 }, findings: [] }) : Promise.reject(error);
  };
  const nothing = () => Promise.resolve({ fields: {}, findings: [] });
  const reporter = createStatusReporter({
    source: {
      get: (_kind, name) => state.good.get(name) as never,
      list: () => [...state.good.values()],
      problems: () => state.problems,
    },
    writer: {
      report: (_kind, name, news) => {
        told.push([name, news]);
        return Promise.resolve();
      },
      current: () => state.current,
      forgetGone: () => {
        state.swept++;
      },
    },
    gather: { Tenant: gather, ApiKey: nothing, ASRModel: nothing },
    intervalMs,
    notices: createNotices(),
    logger,
  });
  const last = () => told.at(-1)![1];
  const ready = () => last().findings.findLast(({ type }) => type === 'Ready');
  return { reporter, state, told, last, ready, at };
}

const problems = [{ field: 'spec.state', message: 'is wrong' }];
const away = () => new PhaseFailed('configure the account', new LedgerUnavailable('Redis is away'));

test('a resource that is in force says so, with the generation and what is known of it', async () => {
  const { reporter, last, ready } = setUp();
  await reporter.applied('Tenant', 'acme', 2);
  expect(last()).toMatchObject({ fields: { observedGeneration: 2, liveSessions: 1 }, generation: 2 });
  expect(ready()).toMatchObject({ status: 'True', reason: 'Applied' });
});

test('a generation that has come and is not in force yet is not told as if it were', async () => {
  const { reporter, state, told, last } = setUp({ intervalMs: { ...NEVER, Tenant: 20 } });
  reporter.start();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(told).toEqual([]);
  await reporter.applied('Tenant', 'acme', 2);
  state.good.set('acme', goodTenant('acme', 3));
  const before = told.length;
  await eventually(() => expect(told.length).toBeGreaterThan(before));
  expect(last()).toMatchObject({ fields: { observedGeneration: 2 }, generation: 2 });
  await reporter.stop();
});

test('one that is wrong says what is, about its newest generation, beside what is in force', async () => {
  const { reporter, state, last, ready } = setUp();
  await reporter.applied('Tenant', 'acme', 2);
  state.problems = problems;
  await reporter.refused('Tenant', 'acme');
  expect(last()).toMatchObject({ fields: { observedGeneration: 2, liveSessions: 1 } });
  expect(last().generation).toBeUndefined();
  expect(ready()).toMatchObject({
    reason: 'InvalidSpec',
    message: 'its last valid state stays in force: spec.state: is wrong',
  });
});

test('one that never was right says that it is not applied, and nothing else', async () => {
  const { reporter, state, told } = setUp({ names: [] });
  await reporter.refused('Tenant', 'acme');
  expect(told).toEqual([]);
  state.problems = problems;
  await reporter.refused('Tenant', 'acme');
  expect(told).toMatchObject([
    ['acme', { fields: {}, findings: [{ reason: 'InvalidSpec', message: 'it is not applied: spec.state: is wrong' }] }],
  ]);
});

test('one that fails says why, and goes on saying so until it does well', async () => {
  const { reporter, last, ready } = setUp();
  await reporter.failed('Tenant', 'acme', new PhaseFailed('apply the grants', new Error('no account')));
  expect(last().fields).toEqual({});
  expect(ready()).toMatchObject({
    status: 'False',
    reason: 'ApplyFailed',
    message: 'it is tried again: apply the grants: no account',
  });
  await reporter.applied('Tenant', 'acme', 2);
  expect(ready()).toMatchObject({ status: 'True' });
});

test('while Redis is away only what waits for it says so', async () => {
  const { reporter, state, told, ready } = setUp();
  state.current = { observedGeneration: 2 };
  await reporter.failed('Tenant', 'acme', away());
  expect(told).toEqual([]);
  state.current = { observedGeneration: 1 };
  await reporter.failed('Tenant', 'acme', away());
  expect(ready()).toMatchObject({ status: 'False', reason: 'Unavailable' });
});

test('what is deleted and cannot go yet says why, and a Tenant that it is the ledger', async () => {
  const { reporter, told } = setUp({ names: [] });
  await reporter.waiting('Tenant', 'acme', new PhaseFailed('close the account', new LedgerUnavailable('away')));
  await reporter.waiting('Tenant', 'acme', new LedgerMissing('it was emptied'));
  const waits = { type: 'Ready', status: 'False', reason: 'DeletionWaits' };
  expect(told).toMatchObject([
    ['acme', { leaving: true, findings: [{ ...waits, message: expect.stringContaining('away') }] }],
    [
      'acme',
      { leaving: true, findings: [waits, { type: 'LedgerMissing', status: 'True', message: 'it was emptied' }] },
    ],
  ]);
});

test('looks at everything now and then, and one that cannot be told keeps no other from being told', async () => {
  const names = Array.from({ length: 30 }, (_, n) => `t${n}`);
  const { reporter, state, told, at } = setUp({ intervalMs: { ...NEVER, Tenant: 20 }, names });
  for (const name of names) await reporter.applied('Tenant', name, 2);
  told.length = 0;
  state.refuse = (name) => (Number(name.slice(1)) % 2 === 0 ? new Error('odd') : undefined);
  reporter.start();
  await eventually(() => expect(new Set(told.map(([name]) => name)).size).toBe(15));
  await eventually(() => expect(at('warn')).toHaveLength(1));
  state.refuse = undefined;
  await eventually(() => expect(new Set(told.map(([name]) => name)).size).toBe(30));
  await reporter.stop();
  const after = told.length;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(told).toHaveLength(after);
  expect(at('warn')).toHaveLength(1);
  expect(state.swept).toBeGreaterThan(0);
});

test('a round ends early when Redis is away', async () => {
  const names = Array.from({ length: 100 }, (_, n) => `t${n}`);
  const { reporter, state } = setUp({ intervalMs: { ...NEVER, Tenant: 20 }, names });
  for (const name of names) await reporter.applied('Tenant', name, 2);
  state.gathered = 0;
  let rounds = 0;
  state.refuse = (name) => {
    if (name === 't0') rounds += 1;
    return new LedgerUnavailable('away');
  };
  reporter.start();
  await eventually(() => expect(rounds).toBeGreaterThan(2));
  await reporter.stop();
  expect(state.gathered).toBeLessThanOrEqual(rounds * 8);
});
