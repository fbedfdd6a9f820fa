import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkResource } from '@svc-asr/core';
import type { ResourceOf } from '@svc-asr/core';
import { SCHEMA_VERSION } from '@svc-asr/ledger';
import type { Ledger } from '@svc-asr/ledger';
import { startRedis } from '../../../test/support/redis.ts';
import { createNotices } from '../notices.ts';
import { applyAccount } from './account.ts';
import { createApplied } from '../reconcile/applied.ts';
import { runPhases } from '../reconcile/phases.ts';
import { createTenantReconciler } from '../reconcile/tenant.ts';
import { WaitingKeys } from '../reconcile/waiting-keys.ts';
import { openLedger } from '../testing/harness.ts';
import { createTestLogger } from '../testing/logs.ts';
import { tenant } from '../testing/resources.ts';
import { createFileAnchor } from './anchor.ts';
import { createLedgerGuard } from './guard.ts';
import { buildPlan, rebuildLedger } from './rebuild.ts';
import type { Checkpoint } from './checkpoint.ts';

const LIMITS = { concurrentSessions: 1, sessionsPerMinute: 60, requestsPerMinute: 600 };
let redis: Awaited<ReturnType<typeof startRedis>>;
let ledger: Ledger;
let close: () => Promise<void>;
let folder: string;
let file: string;

beforeAll(async () => {
  redis = await startRedis();
  ({ ledger, close } = openLedger(redis.url));
});
afterAll(async () => {
  await close();
  await redis.stop();
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-asr-ledger-'));
  file = join(folder, 'state', 'ledger-id');
  while (!ledger.link.ready) await new Promise((resolve) => setTimeout(resolve, 10));
  await ledger.link.send('', ['FLUSHALL']);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const acme = (checkResource(tenant('acme', { grants: [{ id: 'welcome', audioSeconds: 60 }] })) as { value: unknown })
  .value as ResourceOf<'Tenant'>;

/** Creates the guard of an operator that has just started. */
function guard(checkpoints: Record<string, Checkpoint> = {}) {
  const { logger } = createTestLogger();
  const { accounts, identity } = ledger;
  const rebuild = {
    accounts,
    identity,
    logger,
    tenants: () => [acme],
    checkpointOf: (name: string) => checkpoints[name],
    isNewest: () => Promise.resolve(true),
  };
  return createLedgerGuard({
    identity,
    anchor: createFileAnchor(file),
    rebuild: (ledgerId) => rebuildLedger(ledgerId, rebuild),
    showPlan: (ledgerId) => identity.showPlan(buildPlan(ledgerId, rebuild)),
    stampSchema: () => ledger.schema.stamp(),
    validForMs: 0,
    nowMs: () => performance.now(),
  });
}

test('the ledger guard creates only one ledger in two checks, and the guard of a restarted operator finds this ledger', async () => {
  const first = guard();
  await Promise.all([first.check(), first.check()]);
  const ledgerId = await ledger.identity.read();
  expect(readFileSync(file, 'utf8').trim()).toBe(ledgerId);
  const second = guard();
  await second.check();
  expect([second.ledgerId(), second.missing()]).toEqual([ledgerId, undefined]);
});

test('the ledger guard stores the schema version, even in a Redis that an earlier release has used', async () => {
  await ledger.identity.claim('old');
  await guard().check();
  expect(await ledger.schema.read()).toMatchObject({ version: SCHEMA_VERSION });
});

test('an operator that lost its copy of the ledger id adopts the ledger id in Redis', async () => {
  await ledger.identity.claim('old');
  await guard().check();
  expect(readFileSync(file, 'utf8').trim()).toBe('old');
});

test('the ledger guard detects an emptied Redis, even while the operator runs, and writes no ledger id and no account to it', async () => {
  const running = guard();
  await running.check();
  await ledger.link.send('', ['FLUSHALL']);
  for (const each of [running, guard()]) {
    await expect(each.check()).rejects.toThrow(
      /It was emptied, or it is the wrong Redis.*svc-asr admin ledger rebuild/,
    );
    expect(each.missing()).toMatch(/does not contain the ledger/);
  }
  expect(await ledger.identity.read()).toBeUndefined();
  expect(await ledger.accounts.read('acme')).toBeUndefined();
});

test('the ledger guard refuses the Redis of another installation, and does not rebuild its own ledger there', async () => {
  const mine = guard();
  await mine.check();
  const id = mine.ledgerId() ?? '';
  await ledger.link.send('', ['FLUSHALL']);
  await ledger.identity.claim('theirs');
  await ledger.identity.requestRebuild(id);
  await expect(mine.check()).rejects.toThrow(/contains the ledger theirs/);
  expect(await ledger.identity.read()).toBe('theirs');
});

test('a ledger rebuild first publishes its plan, and after the approval restores grants and consumption only once', async () => {
  const before = guard();
  await before.check();
  const id = before.ledgerId() ?? '';
  await ledger.link.send('', ['FLUSHALL']);
  const checkpoint = { consumedMs: 21_000, checkpointAt: '2026-01-01T00:00:00.000Z' };
  const after = guard({ acme: checkpoint });
  await expect(after.check()).rejects.toThrow();
  const row = { tenant: 'acme', grantedMs: 60_000, ...checkpoint };
  expect(await ledger.identity.plan()).toEqual({ ledgerId: id, tenants: [row] });

  await ledger.identity.requestRebuild(id);
  await after.check();
  await after.check();
  expect(await ledger.identity.read()).toBe(id);
  expect(await ledger.identity.plan()).toBeUndefined();
  expect(await ledger.identity.requestedRebuild()).toBeUndefined();
  const restored = { grantedMs: 60_000, consumedMs: 21_000, availableMs: 39_000, reservedMs: 0 };
  expect(await ledger.accounts.read('acme')).toMatchObject(restored);
});

test('each ledger rebuild applies a negative grant with the amount that the grant removed originally, not with the full amount', async () => {
  const { accounts } = ledger;
  const grants = [
    { id: 'welcome', audioSeconds: 100 },
    { id: 'correction', audioSeconds: -30 },
  ];
  const tenant = { ...acme, spec: { ...acme.spec, grants } };
  const apply = (checkpoint?: Checkpoint) =>
    applyAccount(tenant, 'mine', { accounts, isNewest: () => Promise.resolve(true), checkpointOf: () => checkpoint });
  // When the correction was applied, all credit was already used. The correction therefore removed nothing.
  await accounts.configure('acme', { displayName: 'Acme', state: 'Active', models: ['*'], limits: LIMITS });
  await accounts.grant('acme', 'welcome', 100_000);
  await accounts.restore('acme', 'use', 100_000);
  expect(await apply()).toMatchObject({ grants: [{ applied: false }, { applied: true, amountMs: 0 }] });
  for (let rebuilds = 0; rebuilds < 2; rebuilds++) {
    const { consumedMs, limitedCorrections } = (await accounts.read('acme'))!;
    expect(limitedCorrections).toEqual([{ id: 'correction', appliedMs: 0 }]);
    await ledger.link.send('', ['FLUSHALL']);
    await apply({ consumedMs, checkpointAt: '2026-01-01T00:00:00.000Z', limitedCorrections });
    expect(await accounts.read('acme')).toMatchObject({ grantedMs: 100_000, consumedMs: 100_000 });
  }
});

test('an account with a monthly budget is rebuilt with the credit and the consumption of earlier months', async () => {
  const { accounts } = ledger;
  const tenant = { ...acme, spec: { ...acme.spec, budget: { monthlyAudioSeconds: 100 } } };
  const budget = { month: '2001-02', remainingMs: 40_000, usedMs: 60_000, grantedMs: 500_000 };
  const checkpoint = { consumedMs: 470_000, checkpointAt: '2001-02-03T00:00:00.000Z', budget };
  const isNewest = () => Promise.resolve(true);
  const options = { accounts, isNewest, checkpointOf: () => checkpoint };
  expect(buildPlan('mine', { tenants: () => [tenant], checkpointOf: () => checkpoint }).tenants).toMatchObject([
    { grantedMs: 560_000, consumedMs: 470_000 },
  ]);
  await applyAccount(tenant, 'mine', options);
  // Of the 470 s that were consumed, budgets paid 460 s, because 40 s of their 500 s are left. The remaining 10 s were
  // charged to the grant of 60 s. The 40 s have expired with their month, and the current month adds 100 s.
  for (let repeats = 0; repeats < 2; repeats++) {
    expect((await accounts.usage('acme'))?.balance).toMatchObject({ availableMs: 150_000, consumedMs: 470_000 });
    await applyAccount(tenant, 'mine', options);
  }
});

test('a repeated restore of an account adds the consumption only once, and never more consumption than was granted', async () => {
  await ledger.accounts.configure('acme', { displayName: 'Acme', state: 'Active', models: ['*'], limits: LIMITS });
  await ledger.accounts.grant('acme', 'welcome', 10_000);
  expect(await ledger.accounts.restore('acme', 'r1', 4000)).toEqual({ added: true, consumedMs: 4000 });
  expect(await ledger.accounts.restore('acme', 'r1', 4000)).toEqual({ added: false, consumedMs: 4000 });
  expect(await ledger.accounts.restore('acme', 'r2', 99_000)).toEqual({ added: true, consumedMs: 6000 });
  expect(await ledger.accounts.read('acme')).toMatchObject({ consumedMs: 10_000, availableMs: 0 });
});

test('a single lost account is recreated from its checkpoint, even after an interrupted attempt', async () => {
  const { logger, lines } = createTestLogger();
  const applied = createApplied(ledger.registry);
  await applied.load();
  let restorations = 0;
  const { accounts } = ledger;
  const { present } = createTenantReconciler({
    applied,
    notices: createNotices(),
    logger,
    ledgerId: () => 'mine',
    isNewest: () => Promise.resolve(true),
    purge: () => Promise.resolve(),
    waitingKeys: new WaitingKeys(),
    enqueueKey: () => undefined,
    accounts: {
      ...accounts,
      restore: (...args) => (restorations++ === 0 ? Promise.reject(new Error('cut')) : accounts.restore(...args)),
    },
    checkpointOf: () => ({ consumedMs: 21_000, checkpointAt: '2026-01-01T00:00:00.000Z' }),
  });
  await expect(runPhases(present, acme)).rejects.toThrow('cut');
  for (let times = 0; times < 2; times++) await runPhases(present, acme);
  expect(await ledger.accounts.read('acme')).toMatchObject({ grantedMs: 60_000, consumedMs: 21_000 });
  expect(lines.filter(({ message }) => message.includes('was missing from Redis'))).toHaveLength(1);
});

test('an account in a Redis that was restored from a backup keeps its balance, even if its first checkpoint is newer than the backup', async () => {
  const { accounts } = ledger;
  const bring = (checkpoint?: Checkpoint) =>
    applyAccount(acme, 'mine', { accounts, isNewest: () => Promise.resolve(true), checkpointOf: () => checkpoint });
  expect(await bring()).toMatchObject({ grants: [{ applied: true }], restored: undefined });
  // The second call simulates that Redis was restored from a backup that was made just after the first call. The
  // checkpoint in the Tenant includes what was charged after the backup.
  const { restored } = await bring({ consumedMs: 21_000, checkpointAt: '2026-01-01T00:00:00.000Z' });
  expect(restored).toMatchObject({ added: false });
  expect(await accounts.read('acme')).toMatchObject({ grantedMs: 60_000, consumedMs: 0 });
});

/** Builds a Tenant with the fields that the API server sets. */
const stateOf = (uid: string, generation: number, state: 'Active' | 'Suspended'): ResourceOf<'Tenant'> => ({
  ...acme,
  metadata: { name: 'acme', uid, generation },
  spec: { ...acme.spec, state },
});

test('a late write of a former leader does not undo newer changes of a Tenant', async () => {
  const { accounts } = ledger;
  let newest = false;
  const bring = (tenant: ResourceOf<'Tenant'>) =>
    applyAccount(tenant, 'mine', { accounts, checkpointOf: () => undefined, isNewest: () => Promise.resolve(newest) });
  const state = async () => (await accounts.read('acme'))?.state;
  await bring(stateOf('u1', 2, 'Suspended'));
  await expect(bring(stateOf('u1', 1, 'Active'))).rejects.toThrow(
    'the ledger has a newer generation of the Tenant acme than this operator has seen',
  );
  expect(await state()).toBe('Suspended');
  await bring(stateOf('u1', 2, 'Suspended'));

  await accounts.close('acme');
  await expect(bring(stateOf('u1', 3, 'Active'))).rejects.toThrow('a newer generation');
  expect(await state()).toBe('Deleted');
  // A Tenant that was deleted and recreated starts again with generation 1.
  await bring(stateOf('u2', 1, 'Active'));
  expect(await state()).toBe('Active');

  // After a cluster was restored from a backup, its Tenant has an older generation than the account in Redis. The
  // Kubernetes API has no newer generation of the Tenant, so the settings are applied.
  await bring(stateOf('u2', 5, 'Suspended'));
  newest = true;
  await bring(stateOf('u2', 4, 'Active'));
  expect(await state()).toBe('Active');
  newest = false;
  await bring(stateOf('u2', 4, 'Active'));
});
