import { startRedis } from '../../../test/support/redis.ts';
import { startTestConsole, untilReady } from '../testing/console.ts';
import { createVisitor } from '../testing/visitor.ts';

const APPLICANT = { name: 'A', email: 'a@example.org', use: 'u' };

let redis: Awaited<ReturnType<typeof startRedis>>;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

async function withConsole(env: Record<string, string>, look: (url: string) => Promise<void>): Promise<void> {
  const console_ = await startTestConsole(redis.url, { KEY_ACTIVATION_MS: '0', ...env });
  await untilReady(console_);
  await look(console_.pageUrl).finally(() => console_.stop());
}

test('an address applies so often an hour', () =>
  withConsole({ APPLICATIONS_PER_HOUR: '2' }, async (url) => {
    const apply = () => createVisitor(url).call('POST', 'applications', APPLICANT);
    expect([(await apply()).status, (await apply()).status]).toEqual([201, 201]);
    const third = await apply();
    expect([third.status, third.body.error.code]).toEqual([429, 'rate_limit_exceeded']);
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(1700);
  }));

test('behind a proxy that is trusted each caller counts alone; a header of anybody else is not believed', async () => {
  const apply = (url: string, address: string) =>
    createVisitor(url).call('POST', 'applications', APPLICANT, { 'x-forwarded-for': address });
  await withConsole({ APPLICATIONS_PER_HOUR: '1', TRUSTED_PROXIES: '127.0.0.1' }, async (url) => {
    expect([(await apply(url, '192.0.2.1')).status, (await apply(url, '192.0.2.2')).status]).toEqual([201, 201]);
    expect((await apply(url, '192.0.2.1')).status).toBe(429);
  });
  await withConsole({ APPLICATIONS_PER_HOUR: '1' }, async (url) => {
    expect([(await apply(url, '192.0.2.1')).status, (await apply(url, '192.0.2.2')).status]).toEqual([201, 429]);
  });
});

test('an address that guesses links has to wait, and whoever has one does not', () =>
  withConsole({ SIGN_IN_FAILURES_PER_MINUTE: '2' }, async (url) => {
    const { body } = await createVisitor(url).call('POST', 'applications', APPLICANT);
    const guess = () => createVisitor(url).call('POST', 'sign-in', { token: `${body.tenant}.${'x'.repeat(32)}` });
    expect([(await guess()).status, (await guess()).status, (await guess()).status]).toEqual([401, 401, 429]);
    expect((await createVisitor(url).call('POST', 'sign-in', { token: body.token })).status).toBe(200);
  }));

test('behind a proxy with TLS the cookie is for TLS alone', () =>
  withConsole({}, async (url) => {
    const applied = await createVisitor(url).call('POST', 'applications', APPLICANT, { 'x-forwarded-proto': 'https' });
    expect(applied.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Strict; Secure$/);
  }));

test('a body that is too large is refused', () =>
  withConsole({ CONSOLE_BODY_BYTES: '1024' }, async (url) => {
    const answer = await createVisitor(url).call('POST', 'applications', { ...APPLICANT, use: 'x'.repeat(1100) });
    expect(answer.status).toBe(413);
  }));
