import { LedgerUnavailable } from '@svc-asr/ledger';
import { checkReconciled } from '@svc-asr/core';
import type { ReconciledKind, Problem, ReconciledResource } from '@svc-asr/core';
import { LedgerMissing } from '../ledger/guard.ts';
import { createNotices } from '../notices.ts';
import { PhaseFailed } from '../failure/phase-failed.ts';
import { eventually } from '../testing/eventually.ts';
import { createTestLogger } from '../testing/logs.ts';
import { tenant } from '../testing/resources.ts';
import type { AnyStatus, StatusNews } from './change.ts';
import { ResourceStatusReporter } from './reporter.ts';
import { orderByPlace } from './rounds.ts';
import type { StatusScope } from './writer.ts';

const NEVER = { ASRModel: 1e6, Tenant: 1e6, ApiKey: 1e6 };

function goodTenant(name: string, generation: number): ReconciledResource {
  const checked = checkReconciled({ ...tenant(name), metadata: { name, generation } });
  if (!checked.ok) throw new Error('the test resource is invalid');
  return checked.value;
}

function setUp({
  intervalMs = NEVER,
  names = ['acme'],
}: { intervalMs?: Record<ReconciledKind, number>; names?: string[] } = {}) {
  const { logger, at } = createTestLogger();
  const reported: [string, StatusNews, StatusScope][] = [];
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
  const reporter = new ResourceStatusReporter({
    source: {
      get: (_kind, name) => state.good.get(name) as never,
      list: () => [...state.good.values()] as never,
      problems: () => state.problems,
      isDuplicate: (_kind, name) => name.includes('/'),
    },
    writer: {
      report: (_kind, name, news, scope) => {
        reported.push([name, news, scope]);
        return Promise.resolve();
      },
      current: () => state.current,
      forgetPast: () => {
        state.swept++;
      },
    },
    gather: { Tenant: gather, ApiKey: nothing, ASRModel: nothing },
    intervalMs,
    notices: createNotices(),
    logger,
  });
  const last = () => reported.at(-1)![1];
  const ready = () => last().findings.findLast(({ type }) => type === 'Ready');
  return { reporter, state, reported, last, ready, at };
}

const problems = [{ field: 'spec.state', message: 'is wrong' }];
const redisUnavailable = () => new PhaseFailed('configure the account', new LedgerUnavailable('Redis is down'));

test('reporter.applied reports Ready with the generation and the gathered fields', async () => {
  const { reporter, last, ready } = setUp();
  await reporter.applied('Tenant', 'acme', 2);
  expect(last()).toMatchObject({ fields: { observedGeneration: 2, liveSessions: 1 }, generation: 2 });
  expect(ready()).toMatchObject({ status: 'True', reason: 'Applied' });
});

test('reporter.applied writes only urgent changes, and a later status round writes the other changes', async () => {
  const { reporter, reported } = setUp({ intervalMs: { ...NEVER, Tenant: 20 } });
  await reporter.applied('Tenant', 'acme', 2);
  expect(reported.map(([, , scope]) => scope)).toEqual(['urgent']);
  reporter.start();
  await eventually(() => expect(reported.at(-1)?.[2]).toBe('all'));
  await reporter.stop();
});

test('the reporter does not report a newer generation as applied before reporter.applied was called for it', async () => {
  const { reporter, state, reported, last } = setUp({ intervalMs: { ...NEVER, Tenant: 20 } });
  reporter.start();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(reported).toEqual([]);
  await reporter.applied('Tenant', 'acme', 2);
  state.good.set('acme', goodTenant('acme', 3));
  const before = reported.length;
  await eventually(() => expect(reported.length).toBeGreaterThan(before));
  expect(last()).toMatchObject({ fields: { observedGeneration: 2 }, generation: 2 });
  await reporter.stop();
});

test('reporter.refused reports the problems of the newest generation, and keeps the fields of the applied generation', async () => {
  const { reporter, state, last, ready } = setUp();
  await reporter.applied('Tenant', 'acme', 2);
  state.problems = problems;
  await reporter.refused('Tenant', 'acme');
  expect(last()).toMatchObject({ fields: { observedGeneration: 2, liveSessions: 1 } });
  expect(last().generation).toBeUndefined();
  expect(ready()).toMatchObject({
    reason: 'InvalidSpec',
    message: 'the resource is invalid and its last valid version stays effective: spec.state: is wrong',
  });
});

test('reporter.refused reports InvalidSpec and no other field for a resource that was never valid', async () => {
  const { reporter, state, reported } = setUp({ names: [] });
  await reporter.refused('Tenant', 'acme');
  expect(reported).toEqual([]);
  state.problems = problems;
  await reporter.refused('Tenant', 'acme');
  expect(reported).toMatchObject([
    [
      'acme',
      {
        fields: {},
        findings: [{ reason: 'InvalidSpec', message: 'the resource is invalid and not applied: spec.state: is wrong' }],
      },
      'all',
    ],
  ]);
});

test('reporter.failed reports the error until the resource is applied', async () => {
  const { reporter, last, ready } = setUp();
  await reporter.failed('Tenant', 'acme', new PhaseFailed('apply the grants', new Error('no account')));
  expect(last().fields).toEqual({});
  expect(ready()).toMatchObject({
    status: 'False',
    reason: 'ApplyFailed',
    message: 'retrying after an error: apply the grants: no account',
  });
  await reporter.applied('Tenant', 'acme', 2);
  expect(ready()).toMatchObject({ status: 'True' });
});

test('reporter.failed reports an unavailable Redis only if the newest generation is not reported as applied', async () => {
  const { reporter, state, reported, ready } = setUp();
  state.current = { observedGeneration: 2 };
  await reporter.failed('Tenant', 'acme', redisUnavailable());
  expect(reported).toEqual([]);
  state.current = { observedGeneration: 1 };
  await reporter.failed('Tenant', 'acme', redisUnavailable());
  expect(ready()).toMatchObject({ status: 'False', reason: 'Unavailable' });
});

test('reporter.waiting reports why a deleted resource still exists, and LedgerMissing if the ledger of a Tenant is missing', async () => {
  const { reporter, reported } = setUp({ names: [] });
  await reporter.waiting('Tenant', 'acme', new PhaseFailed('close the account', new LedgerUnavailable('unavailable')));
  await reporter.waiting('Tenant', 'acme', new LedgerMissing('it was emptied'));
  const waits = { type: 'Ready', status: 'False', reason: 'DeletionWaits' };
  expect(reported).toMatchObject([
    ['acme', { deleting: true, findings: [{ ...waits, message: expect.stringContaining('unavailable') }] }, 'all'],
    [
      'acme',
      { deleting: true, findings: [waits, { type: 'LedgerMissing', status: 'True', message: 'it was emptied' }] },
      'all',
    ],
  ]);
});

test('a status round reports all resources, and a resource that fails does not block the others', async () => {
  const names = Array.from({ length: 30 }, (_, n) => `t${n}`);
  const { reporter, state, reported, at } = setUp({ intervalMs: { ...NEVER, Tenant: 20 }, names });
  for (const name of names) await reporter.applied('Tenant', name, 2);
  reported.length = 0;
  state.refuse = (name) => (Number(name.slice(1)) % 2 === 0 ? new Error('odd') : undefined);
  reporter.start();
  await eventually(() => expect(new Set(reported.map(([name]) => name)).size).toBe(15));
  await eventually(() => expect(at('warn')).toHaveLength(1));
  state.refuse = undefined;
  await eventually(() => expect(new Set(reported.map(([name]) => name)).size).toBe(30));
  await reporter.stop();
  const after = reported.length;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(reported).toHaveLength(after);
  expect(at('warn')).toHaveLength(1);
  expect(state.swept).toBeGreaterThan(0);
});

test('a status round continues after one resource failed because a dependency was unavailable', async () => {
  const names = Array.from({ length: 300 }, (_, n) => `t${n}`);
  const { reporter, state, reported } = setUp({ intervalMs: { ...NEVER, Tenant: 20 }, names });
  for (const name of names) await reporter.applied('Tenant', name, 2);
  reported.length = 0;
  const [first] = orderByPlace(names);
  state.refuse = (name) => (name === first?.name ? new LedgerUnavailable('unavailable') : undefined);
  reporter.start();
  await eventually(() => expect(new Set(reported.map(([name]) => name)).size).toBe(299));
  await reporter.stop();
});

test('a status round ends early when Redis is unavailable', async () => {
  const names = Array.from({ length: 100 }, (_, n) => `t${n}`);
  const { reporter, state } = setUp({ intervalMs: { ...NEVER, Tenant: 20 }, names });
  for (const name of names) await reporter.applied('Tenant', name, 2);
  state.gathered = 0;
  state.refuse = () => new LedgerUnavailable('unavailable');
  reporter.start();
  await eventually(() => expect(state.swept).toBeGreaterThan(2));
  await reporter.stop();
  // `swept` counts rounds, because each round first sweeps the state of past writes. A round ends after three failures,
  // while up to 31 further reports run.
  expect(state.gathered).toBeLessThanOrEqual(state.swept * 34);
});

test('orderByPlace spreads resources evenly over a round, and the place of a resource depends only on its name', () => {
  const names = Array.from({ length: 10_000 }, (_, at) => `tenant-${String(at).padStart(5, '0')}`);
  const places = orderByPlace(names);
  const [one] = places.slice(4000, 4001);
  expect(orderByPlace([one!.name])).toEqual([one]);
  const tenths = Array.from({ length: 10 }, (_, tenth) =>
    places.filter(({ place }) => Math.floor(place * 10) === tenth),
  );
  for (const tenth of tenths) expect(tenth.length).toBeGreaterThan(800);
  expect(places).toEqual(places.toSorted((a, b) => a.place - b.place));
});
