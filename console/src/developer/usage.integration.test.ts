import { randomUUID } from 'node:crypto';
import { reserved } from '../../../test/support/ledger.ts';
import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';
import { createVisitor } from '../testing/visitor.ts';

const OWNER = { id: 'gateway-1', epoch: 1 };
const [FIRST, SECOND] = ['AAAAAAAAAA', 'BBBBBBBBBB'];
const DAY_MS = 86_400_000;
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

let console_: TestEnvironment;
beforeAll(async () => {
  console_ = await startTestEnvironment({ env: { APPLICATIONS_PER_HOUR: '1000' }, operator: true });
});
afterAll(() => console_.stop());

/** Creates a developer whose application was approved. */
async function approved() {
  const developer = createVisitor(console_.pageUrl);
  const { body } = await developer.call('POST', 'applications', { name: 'A', email: 'a@example.org', use: 'u' });
  const tenant = String(body.tenant);
  await console_.call('POST', `/admin/v1/applications/${tenant}/approve`, { body: { audio_seconds: 3600 } });
  return { developer, tenant };
}

/** Creates a session and settles it after a second of audio. */
async function complete(tenant: string, keyId: string | null): Promise<void> {
  const { ledger } = console_;
  const { sessionId } = await reserved(ledger, tenant, { seconds: 5, origin: { keyId, requestId: randomUUID() } });
  const connection = { tenant, sessionId, credentialHash: 'hash', connectionId: randomUUID(), owner: OWNER };
  await ledger.sessions.connect(connection);
  await ledger.sessions.settle(tenant, sessionId, OWNER, 16_000, 'closed');
}

test('GET usage returns rows by day, model and key, as JSON and as CSV', async () => {
  const { developer, tenant } = await approved();
  for (const key of [FIRST, SECOND, FIRST, null]) await complete(tenant, key);
  const settled = (sessions: number) => ({ sessions, audio_ms: sessions * 1000, billable_ms: sessions * 1000 });
  const { body } = await developer.call('GET', 'usage?days=7');
  const today = body.to;
  expect(body).toEqual({
    object: 'list',
    from: dateOf(Date.parse(today) - 6 * DAY_MS),
    to: expect.stringMatching(/^20\d\d-\d\d-\d\d$/),
    days: 7,
    data: [
      { day: today, model: 'kikuyu', key_id: null, source: 'playground', ...settled(1) },
      { day: today, model: 'kikuyu', key_id: FIRST, source: 'api', ...settled(2) },
      { day: today, model: 'kikuyu', key_id: SECOND, source: 'api', ...settled(1) },
    ],
  });
  expect((await developer.call('GET', `usage?from=${today}&to=${today}`)).body.data).toEqual(body.data);
  const yesterday = dateOf(Date.parse(today) - DAY_MS);
  expect((await developer.call('GET', `usage?from=${yesterday}&to=${yesterday}`)).body.data).toEqual([]);

  const url = `${console_.pageUrl}/console/v1/usage?from=${yesterday}&to=${today}&format=csv`;
  const file = await fetch(url, { headers: { cookie: developer.cookie() } });
  expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(file.headers.get('content-disposition')).toBe(
    `attachment; filename=usage-${tenant}-${yesterday}-${today}.csv`,
  );
  expect(await file.text()).toBe(
    [
      'day,model,key_id,source,sessions,audio_ms,billable_ms',
      `${today},kikuyu,,playground,1,1000,1000`,
      `${today},kikuyu,${FIRST},api,2,2000,2000`,
      `${today},kikuyu,${SECOND},api,1,1000,1000`,
      '',
    ].join('\n'),
  );
});

test('GET usage accepts 1 to 400 days and ranges within the retention time, and rejects other values', async () => {
  const { developer } = await approved();
  const status = async (query: string) => (await developer.call('GET', `usage?${query}`)).status;
  const [today, ago] = [Date.now(), (days: number) => dateOf(Date.now() - days * DAY_MS)];
  for (const good of ['', 'days=1', 'days=400', `from=${ago(400)}&to=${ago(0)}`, 'from=2999-01-01&to=2999-01-02']) {
    expect([good, await status(good)]).toEqual([good, 200]);
  }
  const wrong = ['days=0', 'days=401', 'days=x', 'tenant=other', 'format=xml', `from=${dateOf(today)}`];
  const ranges = [
    `from=${ago(402)}&to=${ago(0)}`,
    `from=${ago(1)}&to=${ago(2)}`,
    'from=2026-02-30&to=2026-03-01',
    `from=${ago(1)}&to=${ago(0)}&days=2`,
  ];
  for (const bad of [...wrong, ...ranges]) expect([bad, await status(bad)]).toEqual([bad, 400]);
});

test('GET usage returns the usage of the signed-in tenant only', async () => {
  const [{ tenant }, { developer }] = [await approved(), await approved()];
  await complete(tenant, FIRST);
  expect((await developer.call('GET', 'usage')).body.data).toEqual([]);
  expect((await createVisitor(console_.pageUrl).call('GET', 'usage')).status).toBe(401);
});
