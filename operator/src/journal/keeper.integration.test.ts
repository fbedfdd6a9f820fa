import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LedgerUnavailable, replay } from '@svc-asr/ledger';
import type { JournalEntry, Ledger } from '@svc-asr/ledger';
import { createTenant, openLedger, reserved } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import type { TestRedis } from '../../../test/support/redis.ts';
import { createTestLogger } from '../testing/logs.ts';
import { createJournalFiles } from './files.ts';
import type { JournalFiles } from './files.ts';
import { JournalKeeper } from './keeper.ts';
import type { JournalKeeperOptions } from './keeper.ts';

const OWNER = { id: 'g', epoch: 1 };
/** Retention time with which the keeper removes even entries that were just written. */
const AT_ONCE = -1000;
const DAY_MS = 86_400_000;
let redis: TestRedis;
let ledger: Ledger;
let folder: string;

beforeAll(async () => (redis = await startRedis()));
afterAll(() => redis.stop());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-asr-journal-'));
  ledger = await openLedger(redis.url, { prefix: `test-${randomUUID()}` });
});
afterEach(async () => {
  await ledger.link.close();
  rmSync(folder, { recursive: true });
});

type Line = JournalEntry & { tenant: string; at: string };

/** Reads every line in the folder. Throws if a line is not valid JSON. */
function readLines(): Line[] {
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  return texts
    .flatMap((text) => text.split('\n').filter((line) => line !== ''))
    .map((line) => JSON.parse(line) as Line);
}

function createKeeper(
  files: JournalFiles | undefined,
  retentionMs: number,
  { journal = ledger.journal, logger = createTestLogger().logger }: Partial<JournalKeeperOptions> = {},
): JournalKeeper {
  const limits = { retentionMs, backlogEntries: 20, intervalMs: 10 };
  return new JournalKeeper({ journal, files, ...limits, logger, nowMs: () => performance.now() });
}

async function runSessions(tenant: string, count: number): Promise<void> {
  for (let session = 0; session < count; session++) {
    const { sessionId } = await reserved(ledger, tenant, { seconds: 5 });
    await ledger.sessions.connect({ tenant, sessionId, credentialHash: 'hash', owner: OWNER, connectionId: 'c' });
    await ledger.sessions.settle(tenant, sessionId, OWNER, 16_001, 'client closed');
  }
}

async function totalsOf(tenant: string) {
  const account = (await ledger.accounts.read(tenant))!;
  return { granted: account.grantedMs, reserved: account.reservedMs, consumed: account.consumedMs };
}

test('the journal keeper exports every entry of every tenant exactly once and empties the journals in Redis', async () => {
  const tenants = await Promise.all(Array.from({ length: 70 }, () => createTenant(ledger, 60_000)));
  const [busy = ''] = tenants;
  await ledger.accounts.grant(busy, 'more', 6_000_000);
  await runSessions(busy, 300);
  const keeper = createKeeper(createJournalFiles(folder, 'w'), AT_ONCE);
  for (let pass = 0; pass < 2; pass++) await keeper.runPass();
  const lines = readLines();
  expect(lines).toHaveLength(70 + 1 + 600);
  for (const tenant of tenants.slice(0, 3)) {
    const own = lines.filter((line) => line.tenant === tenant);
    expect(replay(own)).toEqual(await totalsOf(tenant));
    expect(await ledger.journal.status(tenant)).toMatchObject({ length: 0 });
  }
  expect(lines[0]).toMatchObject({ type: 'grant', subject: 'first', granted: 60_000, detail: 'asked=60000' });
  expect(lines[0]!.at).toBe(new Date(Number.parseInt(lines[0]!.id)).toISOString());
  expect(keeper.readings()).toBeUndefined();
  await runSessions(busy, 1);
  await keeper.runPass();
  expect(readLines()).toHaveLength(lines.length + 2);
});

test('after a crash between export and acknowledgement, the journal keeper exports an entry again with the same id', async () => {
  const tenant = await createTenant(ledger, 60_000);
  await runSessions(tenant, 2);
  const crash = () => Promise.reject(new Error('killed'));
  const files = createJournalFiles(folder, 'w');
  const crashing = createKeeper(files, AT_ONCE, { journal: { ...ledger.journal, trim: crash } });
  await expect(crashing.runPass()).rejects.toThrow('killed');
  expect(await ledger.journal.status(tenant)).toMatchObject({ length: 5 });
  await createKeeper(createJournalFiles(folder, 'w'), AT_ONCE).runPass();
  const lines = readLines();
  expect(lines).toHaveLength(10);
  const unique = new Map(lines.map((line) => [`${line.tenant} ${line.id}`, line]));
  expect(unique.size).toBe(5);
  expect(replay(unique.values())).toEqual(await totalsOf(tenant));
});

test('if the journal of one tenant cannot be read, the journal keeper exports the journals of the other tenants', async () => {
  const [broken, intact] = [await createTenant(ledger, 600_000), await createTenant(ledger, 600_000)];
  await runSessions(intact, 2);
  const status: Ledger['journal']['status'] = (tenant) =>
    tenant === broken ? Promise.reject(new Error('shard unavailable')) : ledger.journal.status(tenant);
  const keeper = createKeeper(createJournalFiles(folder, 'w'), AT_ONCE, { journal: { ...ledger.journal, status } });
  await expect(keeper.runPass()).rejects.toThrow('shard unavailable');
  expect(readLines().map(({ tenant }) => tenant)).toEqual(Array.from({ length: 5 }, () => intact));
});

test('the journal keeper logs an outage of Redis as a warning, and a later write failure as an error', async () => {
  const tenant = await createTenant(ledger, 600_000);
  await runSessions(tenant, 1);
  let tenants: Ledger['journal']['tenants'] = () => Promise.reject(new LedgerUnavailable('there is no connection'));
  const append = () => Promise.reject(new Error('ENOSPC: no space left'));
  const { logger, lines } = createTestLogger();
  const journal = { ...ledger.journal, tenants: () => tenants() };
  const keeper = createKeeper({ append }, AT_ONCE, { logger, journal });
  keeper.start();
  await eventually(() => lines.length > 0);
  tenants = () => ledger.journal.tenants();
  await eventually(() => lines.length > 1);
  await keeper.stop();
  expect(lines.map(({ level }) => level)).toEqual(['warn', 'error']);
});

test('the journal keeper leaves entries in Redis while it cannot write them, and reports the backlog', async () => {
  const tenant = await createTenant(ledger, 600_000);
  await runSessions(tenant, 7);
  let isFull = true;
  const files = createJournalFiles(folder, 'w');
  const append: JournalFiles['append'] = (lines) =>
    isFull ? Promise.reject(new Error('ENOSPC: no space left')) : files.append(lines);
  const { logger, lines: log } = createTestLogger();
  const keeper = createKeeper({ append }, AT_ONCE, { logger });
  keeper.start();
  await eventually(() => keeper.readings() !== undefined);
  expect(keeper.readings()).toMatchObject({ entries: 15, backlogRatio: 0.75 });
  expect(log.filter(({ level }) => level === 'error')).toHaveLength(1);
  expect(await ledger.journal.status(tenant)).toMatchObject({ length: 15 });
  isFull = false;
  await eventually(() => keeper.readings()?.backlogRatio === 0);
  await keeper.stop();
  expect(readLines()).toHaveLength(15);
  expect(log.at(-1)?.message).toBe('the journal is exported again');
});

test('the journal keeper leaves exported entries in Redis until their retention time has passed, so that a repeated settlement is recognized', async () => {
  const tenant = await createTenant(ledger, 600_000, { concurrentSessions: 50 });
  const { sessionId } = await reserved(ledger, tenant, { seconds: 1 });
  const connection = { tenant, sessionId, credentialHash: 'hash', owner: OWNER, connectionId: 'c' };
  await ledger.sessions.connect(connection);
  await ledger.sessions.settle(tenant, sessionId, OWNER, 1, 'x');
  for (let at = 0; at < 45; at++) await reserved(ledger, tenant, { seconds: 1 });
  await createKeeper(createJournalFiles(folder, 'w'), DAY_MS).runPass();
  expect((await ledger.sessions.settle(tenant, sessionId, OWNER, 1, 'x')).outcome).toBe('already');
});

test('without a folder for exports, the journal keeper removes old entries and the acknowledgement of earlier exports', async () => {
  const tenant = await createTenant(ledger, 600_000);
  await runSessions(tenant, 2);
  await createKeeper(createJournalFiles(folder, 'w'), DAY_MS).runPass();
  expect(await ledger.journal.exported(tenant)).toBeDefined();
  await createKeeper(undefined, DAY_MS).runPass();
  expect(await ledger.journal.exported(tenant)).toBeUndefined();
  expect(await ledger.journal.status(tenant)).toMatchObject({ length: 5 });
  await createKeeper(undefined, AT_ONCE).runPass();
  expect(await ledger.journal.status(tenant)).toMatchObject({ length: 0 });
  expect(replay(await ledger.journal.read(tenant))).toEqual(await totalsOf(tenant));
});

test('the journal keeper exports the last entries of a deleted tenant, and forgets the tenant when its account is removed', async () => {
  const tenant = await createTenant(ledger, 600_000);
  await reserved(ledger, tenant, { seconds: 1 });
  await ledger.accounts.close(tenant);
  const keeper = createKeeper(createJournalFiles(folder, 'w'), AT_ONCE);
  await keeper.runPass();
  expect(readLines().map(({ type }) => type)).toEqual(['grant', 'reserve', 'fail']);
  const keys = (await ledger.link.send('', ['KEYS', `*{t:${tenant}}*`])) as string[];
  await ledger.link.send('', ['DEL', ...keys]);
  expect(await ledger.journal.tenants()).toEqual([tenant]);
  await keeper.runPass();
  expect(await ledger.journal.tenants()).toEqual([]);
});

async function eventually(isDone: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 10_000; !isDone();) {
    if (Date.now() > deadline) throw new Error('not within 10 s');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
