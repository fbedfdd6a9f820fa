import { randomUUID } from 'node:crypto';
import { ERRORS } from '@svc-asr/core';
import type { Refusal } from '@svc-asr/ledger';
import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';
import { createVisitor } from '../testing/visitor.ts';

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
  await console_.call('POST', `/admin/v1/applications/${tenant}/approve`, { body: { audio_seconds: 60 } });
  return { developer, tenant };
}

const refusal = (atMs: number, changes: Partial<Refusal> = {}): Refusal => ({
  atMs,
  requestId: randomUUID(),
  method: 'POST',
  path: '/v1/asr/sessions',
  status: 402,
  code: 'insufficient_credits',
  message: undefined,
  keyId: '8fK2pQ9xLm',
  model: 'svc-asr-kikuyu-v1',
  ...changes,
});

test('GET refusals lists refused requests, newest first, with a default message if none was stored, and finds a request by its id', async () => {
  const { developer, tenant } = await approved();
  expect((await developer.call('GET', 'refusals')).body).toEqual({ object: 'list', data: [], has_more: false });
  const now = Date.now();
  const [first, second] = [refusal(now - 2), refusal(now - 1, { message: 'model: unknown', keyId: null, model: null })];
  await console_.ledger.refusals.add(tenant, [first, second]);
  const row = { method: 'POST', path: '/v1/asr/sessions', status: 402, code: 'insufficient_credits' };
  const rows = [
    {
      ...row,
      request_id: second.requestId,
      at: new Date(now - 1).toISOString(),
      message: 'model: unknown',
      key_id: null,
      model: null,
    },
    {
      ...row,
      request_id: first.requestId,
      at: new Date(now - 2).toISOString(),
      message: ERRORS.insufficient_credits.message,
      key_id: '8fK2pQ9xLm',
      model: 'svc-asr-kikuyu-v1',
    },
  ];
  expect((await developer.call('GET', 'refusals')).body).toEqual({ object: 'list', data: rows, has_more: false });
  const ofOne = { object: 'list', data: rows.slice(0, 1), has_more: true };
  expect((await developer.call('GET', 'refusals?limit=1')).body).toEqual(ofOne);
  for (const id of [first.requestId, `%20${first.requestId.toUpperCase()}%20`]) {
    expect((await developer.call('GET', `refusals?request_id=${id}`)).body.data).toEqual(rows.slice(1));
  }
  expect((await developer.call('GET', `refusals?request_id=${randomUUID()}`)).body.data).toEqual([]);
  expect((await console_.call('GET', `/admin/v1/tenants/${tenant}/refusals`)).body.data).toEqual(rows);
});

test('GET refusals returns only refusals of the signed-in tenant, and rejects invalid query parameters', async () => {
  const [{ tenant }, { developer }] = [await approved(), await approved()];
  await console_.ledger.refusals.add(tenant, [refusal(Date.now())]);
  expect((await developer.call('GET', 'refusals')).body.data).toEqual([]);
  for (const query of ['limit=0', 'limit=201', 'request_id=', 'tenant=other']) {
    expect((await developer.call('GET', `refusals?${query}`)).status).toBe(400);
  }
  expect((await createVisitor(console_.pageUrl).call('GET', 'refusals')).status).toBe(401);
});
