import { setTimeout as sleep } from 'node:timers/promises';
import { KUBERNETES_TIMEOUT_MS, borrowKubernetes } from '../../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../../test/support/kubernetes.ts';
import { grantRules, readChartRules } from '../../../test/support/kubernetes/grant.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startTestConsole, untilReady } from '../testing/console.ts';
import type { TestConsole } from '../testing/console.ts';
import { createVisitor } from '../testing/visitor.ts';

const TEST_TIMEOUT_MS = 120_000;
const FAILURES = 5;
const APPLICANT = { name: 'Achieng', email: 'achieng@example.org', use: 'captions' };

let kubernetes: Kubernetes;
let redis: Awaited<ReturnType<typeof startRedis>>;
let namespace: string;
const consoles: TestConsole[] = [];

beforeAll(async () => {
  kubernetes = await borrowKubernetes();
  redis = await startRedis();
  namespace = await kubernetes.createNamespace();
}, KUBERNETES_TIMEOUT_MS);
afterEach(async () => {
  for (const console_ of consoles.splice(0)) await console_.stop();
});
afterAll(async () => {
  await redis.stop();
  await kubernetes.stop();
}, KUBERNETES_TIMEOUT_MS);

async function start(env: Record<string, string> = {}): Promise<TestConsole> {
  const console_ = await startTestConsole(redis.url, {
    KUBERNETES: await grantRules(kubernetes, namespace, 'console', readChartRules('console')),
    NAMESPACE: namespace,
    KEY_ACTIVATION_TIMEOUT_MS: '0',
    SIGN_IN_FAILURES_PER_MINUTE: String(FAILURES),
    CACHE_MS: '60000',
    ...env,
  });
  consoles.push(console_);
  await untilReady(console_);
  return console_;
}

/** Returns how many requests the console sent to the API server while `run` ran. */
async function countRequests({ healthUrl }: TestConsole, run: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    const text = await (await fetch(`${healthUrl}/metrics`)).text();
    const samples = text.matchAll(/^svc_asr_console_kubernetes_requests_total\{.*\} (\d+)/gm);
    return [...samples].reduce((sum, [, value]) => sum + Number(value), 0);
  };
  const before = await read();
  await run();
  return (await read()) - before;
}

/** Creates a developer whose application was approved, and who is signed in at the console. */
async function approved(console_: TestConsole) {
  const developer = createVisitor(console_.pageUrl);
  const { body } = await developer.call('POST', 'applications', APPLICANT);
  await console_.call('POST', `/admin/v1/applications/${body.tenant}/approve`, { body: { audio_seconds: 60 } });
  return { developer, tenant: String(body.tenant), token: String(body.token) };
}

const kubectl = (args: string[], input?: object) =>
  kubernetes.kubectl(['-n', namespace, ...args], input && JSON.stringify(input));

test(
  'forged cookies cause no request to the API server, and are limited per address',
  async () => {
    const console_ = await start();
    const { developer, tenant } = await approved(console_);
    const cookies = Array.from({ length: 20 }, (_, at) => [
      `svc_asr_console=${tenant}.${String(at).padStart(32, 'x')}`,
      `svc_asr_console=${tenant}.0123456789abcdef.fedcba9876543210.9999999999999.p1.${String(at).padStart(43, 'x')}`,
    ]).flat();
    const statuses: number[] = [];
    const requests = await countRequests(console_, async () => {
      for (const cookie of cookies) {
        statuses.push((await fetch(`${console_.pageUrl}/console/v1/account`, { headers: { cookie } })).status);
      }
    });
    expect(requests).toBe(0);
    expect(statuses.filter((status) => status === 401)).toHaveLength(20 + FAILURES);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20 - FAILURES);
    // Requests with a valid session succeed, although their address is blocked.
    expect((await developer.call('GET', 'account')).status).toBe(200);
  },
  TEST_TIMEOUT_MS,
);

test(
  'concurrent sign-ins with wrong links send requests to the API server only until their client address is blocked',
  async () => {
    const console_ = await start();
    const { tenant } = await approved(console_);
    let statuses: number[] = [];
    const requests = await countRequests(console_, async () => {
      const answers = Array.from({ length: 30 }, () =>
        createVisitor(console_.pageUrl).call('POST', 'sign-in', { token: `${tenant}.${'x'.repeat(32)}` }),
      );
      statuses = (await Promise.all(answers)).map(({ status }) => status);
    });
    expect(statuses.filter((status) => status === 401)).toHaveLength(FAILURES);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30 - FAILURES);
    expect(requests).toBe(FAILURES);
  },
  TEST_TIMEOUT_MS,
);

test(
  'requests of a signed-in developer read the tenant once per CACHE_MS, and see changes by this console at once',
  async () => {
    const console_ = await start();
    const { developer, tenant } = await approved(console_);
    const requests = await countRequests(console_, async () => {
      for (let at = 0; at < 10; at++) await developer.call('GET', 'account');
    });
    expect(requests).toBe(1);
    await console_.call('PUT', `/admin/v1/tenants/${tenant}`, { body: { displayName: 'Renamed', state: 'Active' } });
    expect((await developer.call('GET', 'account')).body.display_name).toBe('Renamed');
    await console_.call('POST', `/admin/v1/tenants/${tenant}/link`);
    expect((await developer.call('GET', 'account')).status).toBe(401);
  },
  TEST_TIMEOUT_MS,
);

test(
  'a request for the list of keys reads only the keys of the tenant and keys without a label, at most once per CACHE_MS',
  async () => {
    const console_ = await start({ LIST_PAGE_SIZE: '2', MAX_KEYS: '2' });
    const [one, other] = [await approved(console_), await approved(console_)];
    for (let at = 0; at < 12; at++) {
      await console_.call('POST', '/admin/v1/keys', { body: { tenant: other.tenant } });
    }
    const { body: key } = await one.developer.call('POST', 'keys', { name: 'mine' });
    const name = `apikey/${String(key.key_id).toLowerCase()}`;
    expect(await kubectl(['get', name, '-o', 'jsonpath={.metadata.labels.asr\\.svc\\.dev/tenant}'])).toBe(one.tenant);

    const list = async () => (await one.developer.call('GET', 'keys')).body.data;
    // One request lists the keys with the label of the tenant, and one the keys without a label. A list of all keys
    // would take 7 requests, one for each page.
    expect(await countRequests(console_, list)).toBe(2);
    expect(await countRequests(console_, list)).toBe(0);
    expect(await list()).toMatchObject([{ key_id: key.key_id }]);

    // A key that an older console created has no label. It is listed, counted and can be revoked.
    await kubectl(['label', name, 'asr.svc.dev/tenant-']);
    const { body: second } = await one.developer.call('POST', 'keys', { name: 'second' });
    expect((await list()).map((each: { name: string }) => each.name).sort()).toEqual(['mine', 'second']);
    expect((await one.developer.call('POST', 'keys', {})).body.error.code).toBe('too_many_keys');
    expect((await other.developer.call('GET', 'keys')).body.data).toHaveLength(12);
    expect((await one.developer.call('DELETE', `keys/${key.key_id}`)).status).toBe(200);
    expect(await list()).toMatchObject([{ key_id: second.key_id }]);
  },
  TEST_TIMEOUT_MS,
);

test(
  'after a sign-out, a copy of the cookie is refused at once and after a restart, and by another replica within CACHE_MS',
  async () => {
    const console_ = await start();
    const cacheMs = 500;
    const replica = await start({ CACHE_MS: String(cacheMs) });
    const { developer, token } = await approved(console_);
    const other = createVisitor(console_.pageUrl);
    await other.call('POST', 'sign-in', { token });
    const cookie = developer.cookie();
    const statusAt = async ({ pageUrl }: TestConsole, sent = cookie) =>
      (await createVisitor(pageUrl, sent).call('GET', 'account')).status;
    expect([await statusAt(console_), await statusAt(replica)]).toEqual([200, 200]);

    expect((await developer.call('DELETE', 'sign-in')).status).toBe(200);
    expect(await statusAt(console_)).toBe(401);
    await sleep(cacheMs);
    expect(await statusAt(replica)).toBe(401);
    const restarted = await start();
    expect(await statusAt(restarted)).toBe(401);
    for (const each of [console_, replica, restarted]) expect(await statusAt(each, other.cookie())).toBe(200);
    expect((await createVisitor(console_.pageUrl).call('POST', 'sign-in', { token })).status).toBe(200);
  },
  TEST_TIMEOUT_MS,
);

test(
  'a repeated sign-out with the same cookie writes nothing, and a browser can still sign out after 20 sign-outs in an hour',
  async () => {
    const console_ = await start();
    const { developer, tenant, token } = await approved(console_);
    const cookie = developer.cookie();
    const version = () => kubectl(['get', 'tenant', tenant, '-o', 'jsonpath={.metadata.resourceVersion}']);
    const signOut = (sent: string) => createVisitor(console_.pageUrl, sent).call('DELETE', 'sign-in');
    expect((await signOut(cookie)).status).toBe(200);
    const ended = await version();
    expect((await signOut(cookie)).status).toBe(200);
    expect(await version()).toBe(ended);

    const statuses = [];
    for (let at = 0; at < 20; at++) {
      await developer.call('POST', 'sign-in', { token });
      statuses.push((await developer.call('DELETE', 'sign-in')).status);
    }
    expect(statuses).toEqual(Array<number>(20).fill(200));
    expect((await developer.call('GET', 'account')).status).toBe(401);
    // The limit of 20 stored sign-outs is reached, so further sign-outs do not change the Tenant.
    const last = await version();
    await developer.call('POST', 'sign-in', { token });
    expect((await developer.call('DELETE', 'sign-in')).status).toBe(200);
    expect(await version()).toBe(last);
  },
  TEST_TIMEOUT_MS,
);
