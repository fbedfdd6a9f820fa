import { startRedis } from '../../../test/support/redis.ts';
import { startTestConsole, untilReady } from '../testing/console.ts';
import type { TestConsole } from '../testing/console.ts';
import { createVisitor } from '../testing/visitor.ts';
import type { Visitor } from '../testing/visitor.ts';

const SESSION = { model: 'svc-asr-kikuyu-v1', max_audio_seconds: 60 };

let redis: Awaited<ReturnType<typeof startRedis>>;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

/** Starts a console and signs a developer in. */
async function withDeveloper(
  env: Record<string, string>,
  run: (developer: Visitor, started: TestConsole) => Promise<void>,
): Promise<void> {
  const started = await startTestConsole(redis.url, env);
  await untilReady(started);
  try {
    const developer = createVisitor(started.pageUrl);
    await developer.call('POST', 'applications', { name: 'A', email: 'a@example.org', use: 'u' });
    await run(developer, started);
  } finally {
    await started.stop();
  }
}

test('without GATEWAY_INTERNAL_URL, the account reports no playground and POST playground/sessions returns 404', () =>
  withDeveloper({}, async (developer) => {
    expect((await developer.call('GET', 'account')).body.playground).toBe(false);
    const answer = await developer.call('POST', 'playground/sessions', SESSION);
    expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found']);
  }));

test('POST playground/sessions returns 503 gateway_unavailable with Retry-After if no gateway can be reached', () =>
  withDeveloper({ GATEWAY_INTERNAL_URL: 'https://127.0.0.1:1' }, async (developer, { output }) => {
    expect((await developer.call('GET', 'account')).body.playground).toBe(true);
    const answer = await developer.call('POST', 'playground/sessions', SESSION);
    expect([answer.status, answer.body.error.code]).toEqual([503, 'gateway_unavailable']);
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(output()).toContain('the internal port of the gateway did not respond');
    expect(output()).not.toContain('Svc-Asr-Internal ');
  }));

test('POST playground/sessions requires a signed-in browser, and rejects a body that the session API of gateways would also reject', () =>
  withDeveloper({ GATEWAY_INTERNAL_URL: 'https://127.0.0.1:1' }, async (developer, { pageUrl }) => {
    for (const wrong of [{ max_audio_seconds: 0 }, { max_audio_seconds: 301 }, { model: '' }, { tenant: 'other' }]) {
      const answer = await developer.call('POST', 'playground/sessions', { ...SESSION, ...wrong });
      expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_parameters']);
    }
    const answer = await createVisitor(pageUrl).call('POST', 'playground/sessions', SESSION);
    expect([answer.status, answer.body.error.code]).toEqual([401, 'not_signed_in']);
  }));
