import { randomUUID } from 'node:crypto';
import { reserved } from '../../../test/support/ledger.ts';
import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';
import { createVisitor } from '../testing/visitor.ts';

const OWNER = { id: 'gateway-1', epoch: 1 };
const KEY = '8fK2pQ9xLm';

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

/** Creates a session and settles it after `samples` of audio. */
async function complete(tenant: string, samples: number, requestId: string): Promise<string> {
  const { ledger } = console_;
  const { sessionId } = await reserved(ledger, tenant, { seconds: 60, origin: { keyId: KEY, requestId } });
  const connection = { tenant, sessionId, credentialHash: 'hash', connectionId: randomUUID(), owner: OWNER };
  await ledger.sessions.connect(connection);
  await ledger.sessions.settle(tenant, sessionId, OWNER, samples, 'closed', {
    end: { reason: 'client_closed', closeCode: 1000 },
  });
  return sessionId;
}

test('GET sessions lists sessions with key id, request id, end reason and duration, and GET sessions/ID explains the charge', async () => {
  const { developer, tenant } = await approved();
  expect((await developer.call('GET', 'sessions')).body).toEqual({ object: 'list', data: [], has_more: false });
  const requestId = randomUUID();
  const id = await complete(tenant, 20_000, requestId);
  const row = {
    id,
    model: 'kikuyu',
    state: 'completed',
    audio_ms: 1250,
    billable_ms: 2000,
    created_at: expect.stringMatching(/^20\d\d-.*Z$/),
    completed_at: expect.stringMatching(/^20\d\d-.*Z$/),
    key_id: KEY,
    source: 'api',
    end_reason: 'client_closed',
    close_code: 1000,
    reserved_ms: 60_000,
    duration_ms: expect.any(Number),
    request_id: requestId,
  };
  expect((await developer.call('GET', 'sessions')).body).toEqual({ object: 'list', data: [row], has_more: false });
  const charge = { rule: 'rounded_up_to_second', audio_ms: 1250, billable_ms: 2000, released_ms: 58_000 };
  expect((await developer.call('GET', `sessions/${id}`)).body).toEqual({ object: 'session', ...row, charge });
});

test('GET sessions/ID returns no end time and a pending charge for a live session, and a charge of 0 for a session without audio', async () => {
  const { developer, tenant } = await approved();
  const unused = await complete(tenant, 0, randomUUID());
  expect((await developer.call('GET', `sessions/${unused}`)).body.charge).toEqual({
    rule: 'not_charged',
    audio_ms: 0,
    billable_ms: 0,
    released_ms: 60_000,
  });
  const origin = { keyId: null, requestId: randomUUID() };
  const { sessionId } = await reserved(console_.ledger, tenant, { seconds: 60, origin });
  expect((await developer.call('GET', `sessions/${sessionId}`)).body).toMatchObject({
    state: 'reserved',
    source: 'playground',
    key_id: null,
    completed_at: null,
    duration_ms: null,
    charge: { rule: 'pending', released_ms: null },
  });
});

test('GET sessions returns only the sessions that match the filters, divided into pages', async () => {
  const { developer, tenant } = await approved();
  const ids: string[] = [];
  for (let count = 0; count < 3; count++) ids.unshift(await complete(tenant, 16_000, randomUUID()));
  const list = async (query: string) => {
    const { body } = await developer.call('GET', `sessions?${query}`);
    return [body.data.map((row: { id: string }) => row.id), body.has_more];
  };
  expect(await list('limit=2')).toEqual([ids.slice(0, 2), true]);
  expect(await list(`limit=2&before=${ids[1]}`)).toEqual([ids.slice(2), false]);
  expect(await list(`key_id=${KEY}&state=completed&end_reason=client_closed&model=kikuyu&source=api`)).toEqual([
    ids,
    false,
  ]);
  for (const other of ['key_id=other', 'state=active', 'end_reason=draining', 'model=luo', 'source=playground']) {
    expect(await list(other)).toEqual([[], false]);
  }
});

test.each(['limit=0', 'limit=101', 'limit=x', 'state=done', 'end_reason=none', 'source=page', 'other=1', 'model='])(
  'GET sessions?%s returns 400',
  async (query) => {
    const { developer } = await approved();
    const answer = await developer.call('GET', `sessions?${query}`);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_parameters']);
  },
);

test('GET sessions/ID does not return sessions of other tenants, and GET sessions and GET sessions/ID require a signed-in browser', async () => {
  const [{ tenant }, { developer }] = [await approved(), await approved()];
  const id = await complete(tenant, 16_000, randomUUID());
  const answer = await developer.call('GET', `sessions/${id}`);
  expect([answer.status, answer.body.error.code]).toEqual([404, 'session_not_found']);
  for (const path of ['sessions', `sessions/${id}`]) {
    expect((await createVisitor(console_.pageUrl).call('GET', path)).status).toBe(401);
  }
});
