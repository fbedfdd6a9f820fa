import { createVisitor } from '../testing/visitor.ts';
import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';

let console_: TestEnvironment;

beforeAll(async () => {
  console_ = await startTestEnvironment({ env: { CACHE_MS: '0' }, operator: true });
});

afterAll(() => console_.stop());

async function signIn(name: string, spec: Record<string, unknown> = {}) {
  const grants = [{ id: 'welcome', audioSeconds: 600 }];
  await console_.call('PUT', `/admin/v1/tenants/${name}`, {
    body: { displayName: name, state: 'Active', grants, ...spec },
  });
  const link = await console_.call('POST', `/admin/v1/tenants/${name}/link`);
  const developer = createVisitor(console_.pageUrl);
  await developer.call('POST', 'sign-in', { token: link.body.token });
  return developer;
}

test('the last request for credit replaces earlier requests, and is shown until the next grant', async () => {
  const developer = await signIn('asking');
  expect((await developer.call('GET', 'account')).body).toMatchObject({ credit_request: null, credit_low: false });
  await developer.call('POST', 'credit-requests', { message: 'First' });
  const asked = await developer.call('POST', 'credit-requests', { message: 'A month of radio', audio_seconds: 7200 });
  expect(asked.status).toBe(201);
  const { at } = asked.body;
  expect(asked.body).toEqual({ object: 'credit_request', at, message: 'A month of radio', audio_seconds: 7200 });
  const { body } = await developer.call('GET', 'account');
  expect(body.credit_request).toEqual({ at, message: 'A month of radio', audio_seconds: 7200 });
  await console_.call('POST', '/admin/v1/tenants/asking/grants', { body: { audio_seconds: 60 } });
  expect((await developer.call('GET', 'account')).body.credit_request).toBeNull();
});

test.each([
  [{}],
  [{ message: ' ' }],
  [{ message: 'x'.repeat(1001) }],
  [{ message: 'a\u0007b' }],
  [{ message: 'x', audio_seconds: 0 }],
  [{ message: 'x', audio_seconds: 1_000_000_001 }],
  [{ message: 'x', audio_seconds: 1.5 }],
  [{ message: 'x', unknown: 1 }],
])('a request for credit with the body %j is refused', async (body) => {
  const developer = await signIn('invalid');
  const refused = await developer.call('POST', 'credit-requests', body);
  expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_parameters']);
});

test('a request for credit with the longest message and the largest amount is accepted', async () => {
  const developer = await signIn('largest');
  const body = { message: 'x'.repeat(1000), audio_seconds: 1_000_000_000 };
  expect((await developer.call('POST', 'credit-requests', body)).status).toBe(201);
});

test('a tenant can ask for credit at most 10 times per hour, and only while the tenant is active', async () => {
  const developer = await signIn('often');
  for (let count = 0; count < 10; count++) {
    expect((await developer.call('POST', 'credit-requests', { message: 'More' })).status).toBe(201);
  }
  const refused = await developer.call('POST', 'credit-requests', { message: 'More' });
  expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limit_exceeded']);
  const suspended = await signIn('suspended', { state: 'Suspended' });
  const early = await suspended.call('POST', 'credit-requests', { message: 'More' });
  expect([early.status, early.body.error.code]).toEqual([403, 'not_approved']);
});
