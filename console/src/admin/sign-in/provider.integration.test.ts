import { startUserEnvironment } from '../../testing/users.ts';
import type { UserEnvironment } from '../../testing/users.ts';
import { createWebClient, signInAs } from '../../testing/web-client.ts';
import { roleOf } from './provider.ts';

let users: UserEnvironment;
beforeAll(async () => {
  users = await startUserEnvironment({
    OIDC_ADMIN_GROUPS: 'asr-admins=administrator, asr-audit=auditor',
    OIDC_SCOPES: 'openid profile email groups',
  });
});
afterAll(() => users.stop());

/** Signs in a user with these groups at the page for administrators. */
async function signIn(groups: readonly string[], subject = users.addUser({ groups })) {
  const client = createWebClient();
  const { url } = await signInAs(client, `${users.adminUrl}/admin/v1/sign-in/oidc`, subject);
  const cookie = client.cookie(users.adminUrl);
  const call = (method: string, path: string, body?: unknown) =>
    users.call(method, path, { token: null, headers: { cookie, 'x-svc-asr-console': '1' }, body });
  return { url, cookie, call, subject, received: client.received() };
}

test('a user of an administrator group signs in on the admin port, and the audit log names the user', async () => {
  const { call, subject, received } = await signIn(['other', 'asr-admins']);
  const actor = `oidc:${users.provider.issuer}#${subject}`;
  expect((await call('GET', '/admin/v1/session')).body).toMatchObject({
    actor,
    signed_in_by: 'oidc',
    role: 'administrator',
  });
  expect((await call('PUT', '/admin/v1/tenants/by-user', { displayName: 'By user' })).status).toBe(201);
  const { body } = await call('GET', '/admin/v1/audit');
  expect(body.data).toContainEqual(expect.objectContaining({ actor, action: 'administrator.sign_in' }));
  expect(body.data).toContainEqual(expect.objectContaining({ actor, target: 'tenant/by-user' }));
  expect(received.find((line) => line.startsWith('svc_asr_admin_login='))).toMatch(
    /Max-Age=600; .*HttpOnly; SameSite=Lax/,
  );
});

test('an auditor can read and cannot change anything', async () => {
  const { call } = await signIn(['asr-audit']);
  expect((await call('GET', '/admin/v1/tenants')).status).toBe(200);
  const refusals = users.routes.admin.filter(
    ({ method, path }) => method.toUpperCase() !== 'GET' && path !== '/admin/v1/sign-in',
  );
  expect(refusals.length).toBeGreaterThan(5);
  for (const { method, path } of refusals) {
    const answer = await call(method.toUpperCase(), path.replace(/:\w+/g, 'unknown'), {});
    expect([method, path, answer.status, answer.body.error.code]).toEqual([method, path, 403, 'insufficient_role']);
  }
  expect((await call('DELETE', '/admin/v1/sign-in')).status).toBe(200);
  expect((await call('GET', '/admin/v1/tenants')).status).toBe(401);
});

test.each([[[]], [['other']], [['ASR-ADMINS']]])(
  'a user with the groups %j cannot sign in as an administrator',
  async (groups) => {
    const { url, cookie, call } = await signIn(groups);
    expect(url.search).toBe('?sign_in_error=no_admin_role');
    expect(cookie).not.toContain('svc_asr_admin=');
    expect((await call('GET', '/admin/v1/tenants')).status).toBe(401);
  },
);

test('the role of an administrator is read again at each sign-in', async () => {
  const first = await signIn(['asr-admins']);
  users.provider.users.set(first.subject, { groups: ['asr-audit'] });
  const second = await signIn([], first.subject);
  expect((await second.call('GET', '/admin/v1/session')).body).toMatchObject({ role: 'auditor' });
});

test('the session of an administrator is not valid on the console port', async () => {
  const { cookie } = await signIn(['asr-admins']);
  expect((await fetch(`${users.pageUrl}/console/v1/account`, { headers: { cookie } })).status).toBe(401);
});

test('roleOf returns the highest role of the groups', () => {
  const roles = new Map([
    ['a', 'administrator'],
    ['b', 'auditor'],
  ] as const);
  expect(roleOf(['b', 'a'], roles)).toBe('administrator');
  expect(roleOf(['b', 'x'], roles)).toBe('auditor');
  expect(roleOf(['x'], roles)).toBeUndefined();
});
