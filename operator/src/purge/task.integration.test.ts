import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReconciledResource } from '@svc-asr/core';
import type { Ledger } from '@svc-asr/ledger';
import { createTenant, openLedger, reserved } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import type { TestRedis } from '../../../test/support/redis.ts';
import { createJournalFiles } from '../journal/files.ts';
import { JournalKeeper } from '../journal/keeper.ts';
import { createFileCheckpoints } from '../ledger/checkpoints.ts';
import type { Checkpoints } from '../ledger/checkpoints.ts';
import { createApplied } from '../reconcile/applied.ts';
import type { Applied } from '../reconcile/applied.ts';
import { createTestLogger } from '../testing/logs.ts';
import { apiKey } from '../testing/resources.ts';
import { PurgeTask } from './task.ts';
import type { PurgeTaskOptions } from './task.ts';

const OWNER = { id: 'gateway-1', epoch: 1 };
const REMOVE = { id: '1', action: 'remove' } as const;

let redis: TestRedis;
let ledger: Ledger;
let prefix: string;
let folder: string;
let journal: JournalKeeper;
let checkpoints: Checkpoints;
let applied: Applied;
let resources: ReconciledResource[];
let enqueued: string[];
let unsettled: string | undefined;

beforeAll(async () => (redis = await startRedis()));
afterAll(() => redis.stop());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-asr-purge-'));
  prefix = `test-${randomUUID()}`;
  ledger = await openLedger(redis.url, { prefix });
  const { logger } = createTestLogger();
  const nowMs = () => performance.now();
  const limits = { retentionMs: -1000, backlogEntries: 20, intervalMs: 60_000 };
  journal = new JournalKeeper({
    journal: ledger.journal,
    files: createJournalFiles(folder, 'w'),
    ...limits,
    logger,
    nowMs,
  });
  checkpoints = createFileCheckpoints({
    file: join(folder, 'checkpoints.json'),
    accounts: ledger.accounts,
    tenants: () => [],
    isSettled: () => true,
    isLedgerPresent: () => true,
    retentionMs: 86_400_000,
    intervalMs: 3_600_000,
    logger,
  });
  applied = createApplied(ledger.registry);
  await applied.load();
  [resources, enqueued, unsettled] = [[], [], undefined];
});
afterEach(async () => {
  checkpoints.stop();
  await ledger.link.close();
  rmSync(folder, { recursive: true });
});

function createTask(changes: Partial<PurgeTaskOptions> = {}): PurgeTask {
  return new PurgeTask({
    purge: ledger.purge,
    requests: ledger.purge.requests,
    accounts: ledger.accounts,
    apiKeys: ledger.apiKeys,
    source: {
      get: () => undefined,
      list: (kind) => resources.filter((one) => kind === undefined || one.kind === kind) as never,
      unsettled: () => unsettled,
    },
    applied,
    checkpoints,
    journal,
    journalFolder: folder,
    enqueue: (key) => enqueued.push(key),
    intervalMs: 60_000,
    logger: createTestLogger().logger,
    ...changes,
  });
}

/** Creates a tenant with an exported journal and a checkpoint, and closes its account. */
async function createClosedTenant(): Promise<string> {
  const tenant = await createTenant(ledger, 60_000);
  const checkpoint = { consumedMs: 1, checkpointAt: '2026-01-01T00:00:00.000Z' };
  writeFileSync(join(folder, 'checkpoints.json'), JSON.stringify({ [tenant]: checkpoint, other: checkpoint }));
  await checkpoints.start();
  await journal.runPass();
  await ledger.accounts.close(tenant);
  return tenant;
}

/** Requests the removal of a tenant, and runs it as the reconcile of the Tenant does. */
async function purge(task: PurgeTask, tenant: string) {
  await ledger.purge.requests.submit({ tenant, ...REMOVE }, 60_000);
  await task.poll();
  await task.remove(tenant);
  return ledger.purge.requests.answerTo({ tenant, ...REMOVE });
}

const total = (counts: object) => Object.values(counts).reduce((sum: number, count: number) => sum + count, 0);

test('PurgeTask removes the data in Redis, the checkpoint and the lines of the journal, and then counts no remaining data', async () => {
  const tenant = await createClosedTenant();
  const answer = await purge(createTask(), tenant);
  expect(answer?.removed).toMatchObject({ list_entries: 1, journal_lines: 1, checkpoints: 1 });
  expect(answer?.removed.account_keys).toBeGreaterThan(1);
  expect(total(answer!.remaining)).toBe(0);
  expect(Object.keys(JSON.parse(readFileSync(join(folder, 'checkpoints.json'), 'utf8')))).toEqual(['other']);
  expect(checkpoints.of(tenant)).toBeUndefined();
});

test('PurgeTask reports a Redis key that still exists after it has removed the data of the tenant', async () => {
  const tenant = await createClosedTenant();
  const left = `${prefix}:{t:${tenant}}:g`;
  const forgetful = async (name: string) => {
    const removed = await ledger.purge.remove(name);
    await ledger.link.send(left, ['HSET', left, 'first', '60000']);
    return removed;
  };
  const answer = await purge(createTask({ purge: { ...ledger.purge, remove: forgetful } }), tenant);
  expect(answer?.remaining).toMatchObject({ account_keys: 1 });
  expect(total(answer!.remaining)).toBe(1);
});

test('PurgeTask reports a line of the exported journal that was written during the removal', async () => {
  const tenant = await createClosedTenant();
  const late: Pick<Checkpoints, 'countOf' | 'remove'> = {
    countOf: checkpoints.countOf,
    remove: async (name) => {
      await checkpoints.remove(name);
      writeFileSync(join(folder, '2026-01-01.other.jsonl'), `{"tenant":"${tenant}","id":"1-0"}\n`);
    },
  };
  const answer = await purge(createTask({ checkpoints: late }), tenant);
  expect([answer?.remaining.journal_lines, total(answer!.remaining)]).toEqual([1, 1]);
});

test('PurgeTask removes nothing while a gateway serves a stream of the deleted tenant', async () => {
  const tenant = await createTenant(ledger, 60_000);
  const { sessionId } = await reserved(ledger, tenant, { seconds: 5 });
  await ledger.gateways.own(OWNER, { tenant, sessionId });
  await ledger.accounts.close(tenant);
  const answer = await purge(createTask(), tenant);
  expect(answer).toMatchObject({ liveSessions: 1, removed: {} });
  expect(await ledger.accounts.state(tenant)).toBe('Deleted');
});

test('for a request with the action `count`, PurgeTask returns the numbers of live sessions and of stored items, and removes nothing', async () => {
  const tenant = await createTenant(ledger, 60_000);
  await reserved(ledger, tenant, { seconds: 5 });
  await ledger.purge.requests.submit({ tenant, id: '2', action: 'count' }, 60_000);
  await createTask().poll();
  const answer = await ledger.purge.requests.answerTo({ tenant, id: '2' });
  expect(answer).toMatchObject({ liveSessions: 1, removed: {}, remaining: { list_entries: 1 } });
  expect([await ledger.accounts.state(tenant), enqueued]).toEqual(['Active', []]);
});

test('for a request with the action check, PurgeTask returns only the number of live sessions', async () => {
  const tenant = await createTenant(ledger, 60_000);
  await reserved(ledger, tenant, { seconds: 5 });
  await ledger.purge.requests.submit({ tenant, id: '3', action: 'check' }, 60_000);
  const count = () => Promise.reject(new Error('a check must not count'));
  await createTask({ purge: { ...ledger.purge, count } }).poll();
  const answer = await ledger.purge.requests.answerTo({ tenant, id: '3' });
  expect(answer).toEqual({ liveSessions: 1, removed: {}, remaining: {} });
});

test('for a request with the action `remove`, PurgeTask counts stored items only once, after the removal', async () => {
  const tenant = await createClosedTenant();
  const calls: string[] = [];
  const answer = await purge(
    createTask({
      purge: {
        ...ledger.purge,
        count: (name) => (calls.push('count'), ledger.purge.count(name)),
        remove: (name) => (calls.push('remove'), ledger.purge.remove(name)),
      },
    }),
    tenant,
  );
  expect(calls).toEqual(['remove', 'count']);
  expect(total(answer!.remaining)).toBe(0);
});

test.each([
  ['succeeds', false],
  ['fails', true],
])(
  'if the removal of a tenant %s, PurgeTask enqueues the ApiKeys that a new tenant of the same name got during this removal',
  async (_name, fails) => {
    const tenant = await createClosedTenant();
    const during = async (name: string) => {
      resources = [
        apiKey('8fK2pQ9xLm', tenant) as ReconciledResource,
        apiKey('AAAAAAAAAA', 'other') as ReconciledResource,
      ];
      if (fails) throw new Error('Redis is unavailable');
      return ledger.purge.remove(name);
    };
    await purge(createTask({ purge: { ...ledger.purge, remove: during } }), tenant).catch(() => undefined);
    expect(enqueued).toEqual([`Tenant/${tenant}`, 'ApiKey/8fk2pq9xlm']);
  },
);

test('PurgeTask removes nothing after the request was withdrawn', async () => {
  const tenant = await createClosedTenant();
  const task = createTask();
  await ledger.purge.requests.submit({ tenant, ...REMOVE }, 60_000);
  await task.poll();
  expect([enqueued, task.isRequested(tenant)]).toEqual([[`Tenant/${tenant}`], true]);
  await ledger.purge.requests.withdraw({ tenant, ...REMOVE });
  await task.remove(tenant);
  expect(await ledger.accounts.state(tenant)).toBe('Deleted');
  await task.poll();
  expect(task.isRequested(tenant)).toBe(false);
});

test('PurgeTask removes nothing until the operator has listed all resources', async () => {
  const tenant = await createClosedTenant();
  unsettled = 'not everything has been listed yet';
  expect(await purge(createTask(), tenant)).toBeUndefined();
  expect(await ledger.accounts.state(tenant)).toBe('Deleted');
});

test('PurgeTask throws an error while an ApiKey of the tenant exists or is being revoked', async () => {
  const tenant = await createClosedTenant();
  resources = [apiKey('8fK2pQ9xLm', tenant) as ReconciledResource];
  await expect(purge(createTask(), tenant)).rejects.toThrow('8fk2pq9xlm');
  resources = [];
  await applied.add('ApiKey', '8fk2pq9xlm', '8fK2pQ9xLm');
  await ledger.apiKeys.put('8fK2pQ9xLm', { tenant, hash: 'h', pepperId: 'p', expiresAtMs: null });
  await expect(purge(createTask(), tenant)).rejects.toThrow('is being revoked');
  await applied.forget('ApiKey', '8fk2pq9xlm');
  expect((await purge(createTask(), tenant))?.removed).toMatchObject({ key_records: 1 });
});
