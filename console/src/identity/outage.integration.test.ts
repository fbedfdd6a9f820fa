import { eventually } from '../../../test/support/eventually.ts';
import { APPLICANT, startUserEnvironment } from '../testing/users.ts';
import { createVisitor } from '../testing/visitor.ts';
import { createWebClient } from '../testing/web-client.ts';

test('while the identity provider is unavailable, a sign-in returns to the page with an error, and a private link still works', async () => {
  const users = await startUserEnvironment();
  await users.provider.stop();
  const { url } = await createWebClient().open(`${users.pageUrl}/console/v1/sign-in/oidc`);
  expect(url.href).toBe(`${users.pageUrl}/?sign_in_error=identity_provider_unavailable`);
  const visitor = createVisitor(users.pageUrl);
  await visitor.call('POST', 'applications', APPLICANT);
  expect((await visitor.call('GET', 'account')).status).toBe(200);
  await users.stop();
});

test('while Redis is unavailable, users of the identity provider get 503 and keep their session, and a private link still works', async () => {
  const users = await startUserEnvironment({}, { operator: false });
  const owner = await users.signIn();
  const link = createVisitor(users.pageUrl);
  await link.call('POST', 'applications', APPLICANT);
  await users.redis.kill();
  const refused = await owner.call('GET', 'session');
  expect([refused.status, refused.body.error.code]).toEqual([503, 'service_unavailable']);
  const accepted = await owner.call('POST', 'invitations/accept', { token: 'x' });
  expect([accepted.status, accepted.body.error.code]).toEqual([503, 'service_unavailable']);
  expect((await link.call('GET', 'account')).status).toBe(200);
  await users.redis.restart();
  await eventually(
    'the session after the restart',
    30_000,
    async () => (await owner.call('GET', 'session')).status === 200,
  );
  await users.stop();
});
