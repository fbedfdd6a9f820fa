import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TOKEN } from '../src/testing/console.ts';
import { startBrowser } from './testing/browser.ts';
import type { Page, TestBrowser } from './testing/browser.ts';
import { startBrowserConsole } from './testing/console.ts';
import type { BrowserConsole } from './testing/console.ts';
import { completeSession } from './testing/sessions.ts';

/** Folder of the screenshots, which git ignores. Check them after a change of the pages. */
const FOLDER = fileURLToPath(new URL('../../coverage/screenshots/', import.meta.url));
const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
const VARIANTS = Object.entries(SIZES).flatMap(([device, viewport]) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ device, viewport, colorScheme })),
);
const ENTRY = { maxAudioSeconds: 300, maxWaitSeconds: 10 };
const TENANT = 'nam-lolwe-fm';

let console_: BrowserConsole;
let browser: TestBrowser;
let link: string;
let sessionId: string;

beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true });
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

/** Waits until a page shows its data. */
async function loaded(page: Page): Promise<void> {
  await page.locator('h1').waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

/** Returns the options of a browser for a variant, and a function that draws a page. */
function prepare({ device, viewport, colorScheme }: (typeof VARIANTS)[number]) {
  const options = { viewport, colorScheme, reducedMotion: 'reduce' as const };
  const shoot = async (page: Page, name: string) => {
    await loaded(page);
    const image = await page.screenshot({ path: `${FOLDER}${name}-${device}-${colorScheme}.png` });
    // A page without content compresses to a few kilobytes.
    expect([name, image.length > 8000]).toEqual([name, true]);
  };
  return { options, shoot };
}

test.each(VARIANTS)('every page is drawn on a $device in a $colorScheme theme', async (variant) => {
  const { options, shoot } = prepare(variant);
  const visitor = await browser.open(`${console_.pageUrl}/`, options);
  await visitor.getByRole('button', { name: 'Join waitlist' }).waitFor();
  await shoot(visitor, 'welcome');
  const page = await browser.signIn(link, options);
  await page.getByRole('table').waitFor();
  await shoot(page, 'overview');
  const paths = { keys: '/keys', usage: '/usage', sessions: '/sessions', 'quick-start': '/quick-start' };
  const further = { account: '/account', playground: '/playground', session: `/sessions/${sessionId}` };
  for (const [name, path] of Object.entries({ ...paths, ...further })) {
    await page.goto(`${console_.pageUrl}${path}`);
    await page.getByRole('link', { name: 'svc-asr' }).waitFor();
    await shoot(page, name);
  }
  await page.goto(`${console_.pageUrl}/keys`);
  await page.getByRole('button', { name: 'Create key' }).click();
  await shoot(page, 'create-key');
});

test.each(VARIANTS)('every page for administrators is drawn on a $device in a $colorScheme theme', async (variant) => {
  const { options, shoot } = prepare(variant);
  await console_.call('PUT', '/admin/v1/tenants/waiting', { body: { displayName: 'Coro Archive' } });
  const page = await browser.open(`${console_.adminUrl}/`, options);
  await page.getByLabel('Admin token').waitFor();
  await shoot(page, 'admin-sign-in');
  await page.getByLabel('Admin token').fill(TOKEN);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Approve Coro Archive' }).waitFor();
  await shoot(page, 'admin-applications');
  await page.getByRole('button', { name: 'Approve Coro Archive' }).click();
  await shoot(page, 'admin-approve');
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
    await shoot(page, `admin-${name}`);
  }
});
