import { TOKEN } from '../src/testing/console.ts';
import { startBrowser } from './testing/browser.ts';
import type { TestBrowser } from './testing/browser.ts';
import { startBrowserConsole } from './testing/console.ts';
import type { BrowserConsole } from './testing/console.ts';
import { drawVariants } from './testing/screenshots.ts';
import { completeSession } from './testing/sessions.ts';

const ENTRY = { maxAudioSeconds: 300, maxWaitSeconds: 10 };
const TENANT = 'nam-lolwe-fm';
/** Time limit of a test that draws many pages. */
const LONG_TEST_MS = 240_000;

let console_: BrowserConsole;
let browser: TestBrowser;
let link: string;
let sessionId: string;

beforeAll(async () => {
  [console_, browser] = await Promise.all([startBrowserConsole(), startBrowser()]);
  const { ledger } = console_;
  await ledger.catalogue.replace([
    { id: 'svc-asr-kikuyu-v1', language: 'Kikuyu', languageCode: 'ki', ...ENTRY },
    { id: 'svc-asr-dholuo-v1', language: 'Dholuo', languageCode: 'luo', ...ENTRY },
  ]);
  link = await console_.createTenant(TENANT, { displayName: 'Nam Lolwe FM', limits: { concurrentSessions: 5 } });
  const create = async (name: string) =>
    String((await console_.call('POST', '/admin/v1/keys', { body: { tenant: TENANT, name } })).body.key_id);
  const [production, reporting] = [await create('production'), await create('reporting')];
  for (const audioMs of [184_300, 8440, 61_200, 297_900]) {
    await completeSession(ledger, TENANT, { audioMs: Math.min(audioMs, 60_000), keyId: production });
  }
  sessionId = await completeSession(ledger, TENANT, { audioMs: 8440, keyId: reporting, model: 'svc-asr-dholuo-v1' });
});

afterAll(async () => {
  await browser.close();
  await console_.stop();
});

test(
  'the test takes screenshots of all pages for developers except the playground',
  async () => {
    const visitor = await browser.open(`${console_.pageUrl}/`);
    await visitor.getByRole('button', { name: 'Join waitlist' }).waitFor();
    await drawVariants(visitor, 'welcome');
    const page = await browser.signIn(link);
    await page.getByRole('table').waitFor();
    await drawVariants(page, 'overview');
    const paths = { keys: '/keys', usage: '/usage', sessions: '/sessions', 'quick-start': '/quick-start' };
    const further = { account: '/account', team: '/team', session: `/sessions/${sessionId}` };
    for (const [name, path] of Object.entries({ ...paths, ...further })) {
      await page.goto(`${console_.pageUrl}${path}`);
      await page.getByRole('link', { name: 'svc-asr' }).waitFor();
      await drawVariants(page, name);
    }
    await page.goto(`${console_.pageUrl}/keys`);
    await page.getByRole('button', { name: 'Create key' }).click();
    await drawVariants(page, 'create-key');
  },
  LONG_TEST_MS,
);

test(
  'the test takes screenshots of every page for administrators',
  async () => {
    await console_.call('PUT', '/admin/v1/tenants/waiting', { body: { displayName: 'Coro Archive' } });
    const page = await browser.open(`${console_.adminUrl}/`);
    await page.getByLabel('Admin token').waitFor();
    await drawVariants(page, 'admin-sign-in');
    await page.getByLabel('Admin token').fill(TOKEN);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Approve Coro Archive' }).waitFor();
    await drawVariants(page, 'admin-applications');
    await page.getByRole('button', { name: 'Approve Coro Archive' }).click();
    await drawVariants(page, 'admin-approve');
    const tenant = `/tenants/${TENANT}`;
    const tabs = ['overview', 'keys', 'usage', 'sessions', 'refusals', 'limits', 'grants', 'access'];
    const paths = {
      ...Object.fromEntries(tabs.map((tab) => [`tenant-${tab}`, `${tenant}?tab=${tab}`])),
      tenants: '/tenants',
      'credit-requests': '/credit-requests',
      models: '/models',
      health: '/health',
      audit: '/audit',
    };
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(`${console_.adminUrl}${path}`);
      await page.getByRole('link', { name: 'svc-asr admin' }).waitFor();
      await drawVariants(page, `admin-${name}`);
    }
  },
  LONG_TEST_MS,
);
