import { randomUUID } from 'node:crypto';
import { openLedger } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { auditTimeOf, buildAuditId } from './audit.ts';
import type { Ledger } from './ledger.ts';

let redis: Awaited<ReturnType<typeof startRedis>>;
let ledger: Ledger;

beforeAll(async () => (redis = await startRedis()));
afterAll(() => redis.stop());
beforeEach(async () => (ledger = await openLedger(redis.url, { prefix: `test-${randomUUID()}` })));
afterEach(() => ledger.link.close());

const LIMITS = { maxEntries: 100, oldestMs: 0 };
const NOW = 1_800_000_000_000;
const entry = (atMs: number, random: string = randomUUID()) => ({
  id: buildAuditId(atMs, random),
  actor: 'admin-token',
  actorName: null,
  action: 'tenant.grant',
  target: 'tenant/acme',
  tenant: 'acme',
  requestId: 'r-1',
  detail: { audio_seconds: 60 },
});

test('the audit log returns entries in order of their time, newest first, whatever the order in which they were written', async () => {
  const [first, second, third] = [entry(NOW), entry(NOW + 1), entry(NOW + 2)];
  await ledger.audit.append([third, first], LIMITS);
  await ledger.audit.append([second], LIMITS);
  expect(await ledger.audit.read({ count: 10 })).toEqual([third, second, first]);
  expect(auditTimeOf(first)).toBe(NOW);
});

test('the audit log contains an entry only once, even if the entry is appended twice', async () => {
  const repeated = entry(NOW);
  for (let times = 0; times < 2; times++) await ledger.audit.append([repeated], LIMITS);
  expect(await ledger.audit.read({ count: 10 })).toEqual([repeated]);
});

test('the pages of the audit log contain each entry exactly once, even if entries have the same time', async () => {
  const all = Array.from({ length: 7 }, (_, at) => entry(NOW, `0${at}`));
  await ledger.audit.append(all, LIMITS);
  const pages = [];
  for (let before: string | undefined; ;) {
    const page = await ledger.audit.read({ before, count: 3 });
    if (page.length === 0) break;
    pages.push(page);
    before = page.at(-1)?.id;
  }
  expect(pages.map((page) => page.length)).toEqual([3, 3, 1]);
  expect(pages.flat()).toEqual(all.toReversed());
});

test('the audit log removes the oldest entries above maxEntries', async () => {
  const all = Array.from({ length: 5 }, (_, at) => entry(NOW + at));
  await ledger.audit.append(all.slice(0, 3), { ...LIMITS, maxEntries: 3 });
  expect(await ledger.audit.read({ count: 10 })).toHaveLength(3);
  await ledger.audit.append(all.slice(3), { ...LIMITS, maxEntries: 3 });
  expect(await ledger.audit.read({ count: 10 })).toEqual(all.slice(2).toReversed());
});

test('the audit log removes entries before oldestMs and keeps an entry of exactly that time', async () => {
  const [old, exact, later] = [entry(NOW - 1), entry(NOW), entry(NOW + 1)];
  await ledger.audit.append([old, exact, later], { ...LIMITS, oldestMs: NOW });
  expect(await ledger.audit.read({ count: 10 })).toEqual([later, exact]);
});
