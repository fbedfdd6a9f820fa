import { createLogger } from '@svc-asr/runtime';
import { eventually } from '../../../test/support/eventually.ts';
import { AuditLog } from './log.ts';
import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';

const WITHIN_MS = 30_000;

let console_: TestEnvironment;
beforeEach(async () => {
  const env = { KEY_ACTIVATION_TIMEOUT_MS: '0', AUDIT_QUEUE_ENTRIES: '3', AUDIT_MAX_ENTRIES: '100' };
  console_ = await startTestEnvironment({ operator: false, env });
});
afterEach(() => console_.stop());

const put = (name: string) => console_.call('PUT', `/admin/v1/tenants/${name}`, { body: { displayName: name } });
const audit = (query = '') => console_.call('GET', `/admin/v1/audit${query}`);

/** Waits until Redis is available. Returns the tenants of the entries, newest first. */
async function tenants(query = ''): Promise<string[]> {
  const answer = await eventually('the audit log is available', WITHIN_MS, async () => {
    const { status, body } = await audit(query);
    return status === 200 ? (body as { data: { tenant: string }[] }) : undefined;
  });
  return answer.data.map(({ tenant }) => tenant);
}

test('changes by an administrator succeed while Redis is down, and reach the audit log when Redis is back', async () => {
  await put('before');
  await tenants();
  await console_.redis.kill();
  for (const name of ['one', 'two']) expect((await put(name)).status).toBe(201);
  expect((await audit()).status).toBe(503);
  expect(console_.output()).toMatch(/"action":"tenant.put","resource":"tenant\/two","tenant":"two"/);
  await console_.redis.restart();
  await eventually('the entries are in Redis', WITHIN_MS, async () => (await tenants()).length === 3);
  expect(await tenants()).toEqual(['two', 'one', 'before']);
});

test('an audit entry is written even if it is added at the moment when the write of an earlier entry ends, and no other entry follows', async () => {
  const { audit: stored } = console_.ledger;
  const act = { actor: 'admin-token', name: null, action: 'tenant.put', target: 'tenant/a', tenant: 'a', detail: {} };
  const settings = { AUDIT_MAX_ENTRIES: 100, AUDIT_RETENTION_DAYS: 1, AUDIT_QUEUE_ENTRIES: 10 };
  // The write ends a few microtasks after the reply of Redis. Each round adds its entry one microtask later than the
  // previous round.
  for (let turns = 0; turns < 10; turns++) {
    let isFirst = true;
    const append: typeof stored.append = async (...args) => {
      await stored.append(...args);
      if (isFirst) void addAfter(turns);
      isFirst = false;
    };
    const logger = createLogger('console', 'error', { write: () => undefined });
    const log = new AuditLog({ ledger: { audit: { ...stored, append } }, settings, logger, now: Date.now });
    const addAfter = async (left: number) => {
      for (let turn = 0; turn < left; turn++) await Promise.resolve();
      log.record({ ...act, requestId: `second-${turns}` });
    };
    log.record({ ...act, requestId: 'first' });
    await eventually(`both entries are written after ${turns} microtasks`, WITHIN_MS, async () => {
      const written = await stored.read({ count: 100 });
      return written.some(({ requestId }) => requestId === `second-${turns}`);
    });
  }
});

test('while Redis is down, only the newest AUDIT_QUEUE_ENTRIES audit entries are queued, and the console logs how many were dropped', async () => {
  await tenants();
  await console_.redis.kill();
  for (const name of ['one', 'two', 'three', 'four', 'five']) expect((await put(name)).status).toBe(201);
  await console_.redis.restart();
  await eventually('the entries are in Redis', WITHIN_MS, async () => (await tenants()).length > 0);
  expect(await tenants()).toEqual(['five', 'four', 'three']);
  expect(console_.output()).toMatch(/"amount":2,"message":"audit entries are only in the log/);
});

test('GET /admin/v1/audit filters by tenant, actor and action, and ?before=ID selects the next page', async () => {
  for (const name of ['one', 'two', 'three']) await put(name);
  await console_.call('DELETE', '/admin/v1/tenants/two');
  expect(await tenants('?tenant=two')).toEqual(['two', 'two']);
  expect(await tenants('?tenant=two&action=tenant.delete')).toEqual(['two']);
  expect(await tenants('?actor=admin-token')).toHaveLength(4);
  expect(await tenants('?actor=developer:link')).toEqual([]);
  const first = await audit('?limit=3');
  expect(first.body).toMatchObject({ object: 'list', has_more: true });
  const last = await audit(`?limit=3&before=${first.body.data.at(-1).id}`);
  expect(last.body).toMatchObject({ data: [{ tenant: 'one' }], has_more: false });
});

test.each(['limit=0', 'limit=201', 'limit=x', 'before=1', 'action=A', 'tenant=', 'other=1'])(
  'GET /admin/v1/audit?%s is rejected',
  async (query) => {
    expect(await audit(`?${query}`)).toMatchObject({ status: 400, body: { error: { code: 'invalid_parameters' } } });
  },
);

test('GET /admin/v1/audit accepts the largest limit', async () => {
  expect((await audit('?limit=200')).status).toBe(200);
});
