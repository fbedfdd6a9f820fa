import { startRedis } from '../../../test/support/redis.ts';
import { startTestConsole, untilReady } from '../testing/console.ts';
import { createVisitor } from '../testing/visitor.ts';

const APPLICANT = { name: 'A', email: 'a@example.org', use: 'u' };

let redis: Awaited<ReturnType<typeof startRedis>>;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

type Admin = Awaited<ReturnType<typeof startTestConsole>>['call'];

async function withConsole(
  env: Record<string, string>,
  run: (url: string, admin: Admin) => Promise<void>,
): Promise<void> {
  const console_ = await startTestConsole(redis.url, { KEY_ACTIVATION_TIMEOUT_MS: '0', ...env });
  await untilReady(console_);
  try {
    await run(console_.pageUrl, console_.call);
  } finally {
    await console_.stop();
  }
}

test('POST applications returns 429 after APPLICATIONS_PER_HOUR applications from one address', () =>
  withConsole({ APPLICATIONS_PER_HOUR: '2' }, async (url) => {
    const apply = () => createVisitor(url).call('POST', 'applications', APPLICANT);
    expect([(await apply()).status, (await apply()).status]).toEqual([201, 201]);
    const third = await apply();
    expect([third.status, third.body.error.code]).toEqual([429, 'rate_limit_exceeded']);
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(1700);
  }));

test('the limits on applications and keys also apply to concurrent requests', () =>
  withConsole(
    { APPLICATIONS_PER_HOUR: '4', MAX_APPLICATIONS: '3', MAX_KEYS: '2', KEYS_PER_HOUR: '5' },
    async (url, admin) => {
      const applied = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const developer = createVisitor(url);
          return { developer, answer: await developer.call('POST', 'applications', APPLICANT) };
        }),
      );
      const statuses = applied.map(({ answer }) => answer.status).sort();
      expect(statuses).toEqual([201, 201, 201, 429, 429, 429, 429, 503]);
      const { developer, answer } = applied.find((each) => each.answer.status === 201)!;
      await admin('POST', `/admin/v1/applications/${answer.body.tenant}/approve`, { body: {} });
      const keys = await Promise.all(Array.from({ length: 7 }, () => developer.call('POST', 'keys', {})));
      expect(keys.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 429, 429]);
    },
  ));

test.each([
  ['use', { use: `${'x'.repeat(15_000)}\u0001` }],
  ['email', { email: `a@${'b.'.repeat(7000)}` }],
])('POST applications rejects an invalid value of more than 14,000 characters in the field %s', (_field, wrong) =>
  withConsole({}, async (url) => {
    const answer = await createVisitor(url).call('POST', 'applications', { ...APPLICANT, ...wrong });
    expect(answer.status).toBe(400);
  }),
);

test('behind a TLS proxy the cookie has the __Host- prefix, and a cookie without the prefix is ignored', () =>
  withConsole({}, async (url) => {
    const https = { 'x-forwarded-proto': 'https' };
    const developer = createVisitor(url);
    const applied = await developer.call('POST', 'applications', APPLICANT, https);
    const cookie = applied.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      /^__Host-svc_asr_console=[^;]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect((await developer.call('GET', 'account', undefined, https)).status).toBe(200);
    const plain = { cookie: (cookie.split(';')[0] ?? '').replace('__Host-', ''), ...https };
    expect((await fetch(`${url}/console/v1/account`, { headers: plain })).status).toBe(401);
  }));

test('POST applications rejects a body above CONSOLE_BODY_BYTES', () =>
  withConsole({ CONSOLE_BODY_BYTES: '1024' }, async (url) => {
    const answer = await createVisitor(url).call('POST', 'applications', { ...APPLICANT, use: 'x'.repeat(1100) });
    expect(answer.status).toBe(413);
  }));
