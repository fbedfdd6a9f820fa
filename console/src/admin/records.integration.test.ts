import { randomUUID } from 'node:crypto';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { reserved } from '../../../test/support/ledger.ts';
import { TOKEN } from '../testing/console.ts';
import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';

const GRANTS = 1500;
const SETTINGS = { displayName: 'T', state: 'Active', models: ['*'] } as const;
const LIMITS = { concurrentSessions: 1, sessionsPerMinute: 60, requestsPerMinute: 600 };

let console_: TestEnvironment;

beforeAll(async () => {
  console_ = await startTestEnvironment({ env: { KEY_ACTIVATION_TIMEOUT_MS: '0' }, operator: false });
  await console_.call('PUT', '/admin/v1/tenants/acme', { body: { displayName: 'Acme', state: 'Active' } });
  await console_.ledger.accounts.configure('acme', { ...SETTINGS, limits: LIMITS });
  const ids = Array.from({ length: GRANTS }, (_, n) => `g${n}`);
  for (let at = 0; at < GRANTS; at += 100) {
    await Promise.all(ids.slice(at, at + 100).map((id) => console_.ledger.accounts.grant('acme', id, 1000)));
  }
});

afterAll(() => console_.stop());

const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('the journal export returns all entries in order, over several pages', async () => {
  const { status, headers, text } = await console_.call('GET', '/admin/v1/tenants/acme/journal');
  expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
  const lines = linesOf(text);
  const granted = lines.filter((line) => line.type === 'grant').map((line) => line.subject);
  expect(granted).toEqual(Array.from({ length: GRANTS }, (_, n) => `g${n}`));
  expect(lines[0]).toEqual({
    tenant: 'acme',
    id: expect.stringMatching(/^\d+-\d+$/),
    at: expect.stringMatching(/Z$/),
    type: 'grant',
    subject: 'g0',
    granted_ms: 1000,
    reserved_ms: 0,
    consumed_ms: 0,
    detail: expect.any(String),
  });
  const half = lines[GRANTS / 2 - 1].id;
  const rest = await console_.call('GET', `/admin/v1/tenants/acme/journal?after=${half}`);
  expect(linesOf(rest.text)).toEqual(lines.slice(GRANTS / 2));
});

test.each(['x', '1', '1-', '-1-1', `${'1'.repeat(20)}-0`])(
  'the journal export rejects the position %s',
  async (after) => {
    expect((await console_.call('GET', `/admin/v1/tenants/acme/journal?after=${after}`)).status).toBe(400);
  },
);

test('the journal of a deleted tenant can be exported, and the export for an unknown tenant returns 404', async () => {
  await console_.ledger.accounts.configure('deleted', { ...SETTINGS, limits: LIMITS });
  await console_.ledger.accounts.grant('deleted', 'g', 1000);
  await console_.ledger.accounts.close('deleted');
  const { status, text } = await console_.call('GET', '/admin/v1/tenants/deleted/journal');
  expect([status, linesOf(text)[0].subject]).toEqual([200, 'g']);
  expect((await console_.call('GET', '/admin/v1/tenants/unknown/journal')).body.error.code).toBe('tenant_not_found');
});

test('the admin API still responds after the client of a journal export has disconnected', async () => {
  const request = get(`${console_.adminUrl}/admin/v1/tenants/acme/journal`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  request.on('error', () => undefined);
  await new Promise((resolve) => request.once('response', resolve));
  await sleep(50);
  request.destroy();
  expect((await console_.call('GET', '/admin/v1/tenants/acme')).status).toBe(200);
});

test.each([
  ['', 200, 30],
  ['?days=1', 200, 1],
  ['?days=400', 200, 400],
  ['?days=0', 400, undefined],
  ['?days=401', 400, undefined],
  ['?days=1.5', 400, undefined],
  ['?days=1&days=2', 400, undefined],
  ['?weeks=1', 400, undefined],
])('GET usage%s returns %i', async (query, status, days) => {
  const answer = await console_.call('GET', `/admin/v1/tenants/acme/usage${query}`);
  expect([answer.status, answer.body.days]).toEqual([status, days]);
});

async function settle(tenant: string, model: string, samples: number): Promise<void> {
  const { sessionId } = await reserved(console_.ledger, tenant, { model, seconds: 5 });
  const owner = { id: 'g', epoch: 1 };
  await console_.ledger.sessions.connect({
    tenant,
    sessionId,
    credentialHash: 'hash',
    owner,
    connectionId: sessionId,
  });
  await console_.ledger.sessions.settle(tenant, sessionId, owner, samples, 'client closed');
}

describe('the usage export', () => {
  const today = () => new Date().toISOString().slice(0, 10);
  const exportUsage = (query: string) => console_.call('GET', `/admin/v1/usage?${query}`);

  beforeAll(async () => {
    for (const tenant of ['b-radio', 'a-closed']) {
      await console_.ledger.accounts.configure(tenant, { ...SETTINGS, limits: LIMITS });
      await console_.ledger.accounts.grant(tenant, 'g', 60_000);
    }
    await settle('b-radio', 'm2', 16_001);
    await settle('b-radio', 'm1', 16_000);
    await settle('b-radio', 'm2', 1);
    await settle('a-closed', 'm1', 32_000);
    await console_.ledger.accounts.close('a-closed');
  });

  test('lists the settled credit by tenant, day and model, and includes deleted tenants', async () => {
    const from = today();
    const { status, headers, text } = await exportUsage(`from=${from}&to=9999-12-31&format=csv`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    // The day may change while the test runs, so the test checks it separately.
    expect(text.replace(/,\d{4}-\d\d-\d\d,/g, ',DAY,')).toBe(
      [
        'tenant,day,model,sessions,audio_ms,billable_ms',
        'a-closed,DAY,m1,1,2000,2000',
        'b-radio,DAY,m1,1,1000,1000',
        'b-radio,DAY,m2,2,1002,3000',
        '',
      ].join('\n'),
    );
    expect(text).toMatch(new RegExp(`,(${from}|${today()}),m1`));
    const account = await console_.ledger.accounts.read('b-radio');
    const lines = linesOf((await exportUsage(`from=${from}&to=9999-12-31&format=jsonl&tenant=b-radio`)).text);
    expect(lines.map(({ tenant, model, billable_ms: ms }) => [tenant, model, ms])).toEqual([
      ['b-radio', 'm1', 1000],
      ['b-radio', 'm2', 3000],
    ]);
    expect(account?.consumedMs).toBe(4000);
  });

  test('has no lines for days without usage', async () => {
    const { text } = await exportUsage('from=2999-01-01&to=2999-01-31');
    expect(text).toBe('tenant,day,model,sessions,audio_ms,billable_ms\n');
  });

  test('contains every tenant, even if there are more tenants than the export reads at the same time', async () => {
    const names = Array.from({ length: 120 }, (_, n) => `many-${String(n).padStart(3, '0')}`);
    const settings = { ...SETTINGS, limits: LIMITS };
    await Promise.all(names.map((name) => console_.ledger.accounts.configure(name, settings)));
    for (const name of [names[0]!, names[60]!, names[119]!]) {
      await console_.ledger.accounts.grant(name, 'g', 5000);
      await settle(name, 'm1', 16_000);
    }
    const { text } = await exportUsage(`from=${today()}&to=9999-12-31&format=jsonl`);
    const listed = linesOf(text).flatMap(({ tenant }) => (tenant.startsWith('many-') ? [tenant] : []));
    expect(listed).toEqual(['many-000', 'many-060', 'many-119']);
  });

  test.each([
    ['', 400, 'invalid_parameters'],
    ['from=2027-01-01', 400, 'invalid_parameters'],
    ['from=2999-02-30&to=2999-03-01', 400, 'invalid_parameters'],
    ['from=2999-03-02&to=2999-03-01', 400, 'invalid_parameters'],
    ['from=2001-01-01&to=2999-03-01', 400, 'invalid_parameters'],
    ['from=2999-01-01&to=2999-01-01&format=xml', 400, 'invalid_parameters'],
    ['from=2999-01-01&to=2999-01-01&tenant=unknown', 404, 'tenant_not_found'],
  ])('rejects the query "%s" with %i', async (query, status, code) => {
    const answer = await exportUsage(query);
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
  });
});

test('while Redis is unavailable, resources can be read and written, and journal and usage return 503', async () => {
  const tenant = `away-${randomUUID()}`;
  await console_.redis.kill();
  try {
    const created = await console_.call('PUT', `/admin/v1/tenants/${tenant}`, { body: { displayName: 'A' } });
    expect([created.status, created.body.applied, created.body.ledger_available]).toEqual([201, false, false]);
    const key = await console_.call('POST', '/admin/v1/keys', { body: { tenant } });
    expect([key.status, key.body.active]).toEqual([201, false]);
    const list = await console_.call('GET', `/admin/v1/keys?tenant=${tenant}`);
    expect([list.body.ledger_available, list.body.data[0].last_used_at]).toEqual([false, null]);
    const revoked = await console_.call('DELETE', `/admin/v1/keys/${key.body.key_id}`);
    expect([revoked.status, revoked.body.applied]).toEqual([200, false]);
    for (const path of ['tenants/acme/journal', 'tenants/acme/usage', 'usage?from=2999-01-01&to=2999-01-01']) {
      const { status, headers, body } = await console_.call('GET', `/admin/v1/${path}`);
      expect([status, headers.get('retry-after'), body.error.code]).toEqual([503, '1', 'service_unavailable']);
    }
    expect((await fetch(`${console_.healthUrl}/livez`)).status).toBe(200);
    expect((await fetch(`${console_.healthUrl}/readyz`)).status).toBe(200);
  } finally {
    await console_.redis.restart();
  }
});
