import { eventually } from '../../test/support/eventually.ts';
import { checkPage, errorsOf, startBrowser } from './testing/browser.ts';
import type { TestBrowser } from './testing/browser.ts';
import { startBrowserConsole } from './testing/console.ts';
import type { BrowserConsole } from './testing/console.ts';
import { completeSession } from './testing/sessions.ts';

let console_: BrowserConsole;
let browser: TestBrowser;

beforeAll(async () => {
  [console_, browser] = await Promise.all([startBrowserConsole(), startBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await console_.stop();
});

test('the overview shows the balance as text and as a bar, without a warning while there is enough credit', async () => {
  const link = await console_.createTenant('enough', { grants: [{ id: 'welcome', audioSeconds: 3600 }] });
  await completeSession(console_.ledger, 'enough', { audioMs: 8440 });
  const page = await browser.signIn(link);
  await page.getByRole('img', { name: '59 min 51 s available, 0 s held, 9 s used' }).waitFor();
  await page.getByText('No session', { exact: false }).waitFor({ state: 'detached' });
  expect(await page.getByText('Your credit is running low').count()).toBe(0);
  await checkPage(page);
  expect(errorsOf(page)).toEqual([]);
});

test('the overview warns before the credit runs out, and shows the last request for more credit until the next grant', async () => {
  const link = await console_.createTenant('low', { grants: [{ id: 'welcome', audioSeconds: 59 }] });
  const page = await browser.signIn(link);
  await page.getByText('Your credit is running low').waitFor();
  expect(await page.getByRole('button', { name: 'Ask for credit' }).count()).toBe(1);
  await checkPage(page);
  await page.getByRole('status').getByRole('button', { name: 'Ask for credit' }).click();
  await checkPage(page);
  await page.getByLabel('What do you need it for?').fill('A month of radio');
  await page.getByLabel('Hours of audio').fill('277778');
  await page.getByRole('button', { name: 'Send request' }).click();
  await page.getByText('Enter at most 277,777 hours.').waitFor();
  await page.getByLabel('Hours of audio').fill('1.5');
  await page.getByRole('button', { name: 'Send request' }).click();
  await page.getByText('You asked for more credit on').waitFor();
  const { body } = await console_.call('GET', '/admin/v1/tenants/low');
  expect(body.account.credits.available_ms).toBe(59_000);
  await console_.call('POST', '/admin/v1/tenants/low/grants', { body: { audio_seconds: 3600 } });
  await page.reload();
  await page.getByText('1 h').first().waitFor();
  await page.getByText('You asked for more credit on').waitFor({ state: 'detached' });
});

test('the overview of a tenant without credit shows that new sessions are refused', async () => {
  const page = await browser.signIn(await console_.createTenant('zero', { grants: [] }));
  await page.getByRole('alert').filter({ hasText: 'You have no credit left' }).waitFor();
  await page.getByText('New sessions are refused').waitFor();
  await page.getByRole('alert').getByRole('button', { name: 'Ask for credit' }).waitFor();
  await checkPage(page);
});

test('the overview works while Redis is unavailable, and keys can still be listed', async () => {
  const env = { KEY_ACTIVATION_TIMEOUT_MS: '0' };
  const own = await startBrowserConsole(env, { operator: false });
  const link = await own.createTenant('outage');
  const page = await browser.signIn(link);
  await page.getByText('Your account is being created').waitFor();
  await own.redis.kill();
  await page.reload();
  await page.getByText('Your balance is temporarily unavailable').waitFor();
  await checkPage(page);
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByText('No API keys yet').waitFor();
  await page.getByRole('link', { name: 'Sessions' }).click();
  await page.getByRole('alert').filter({ hasText: 'This is temporarily unavailable.' }).waitFor();
  await checkPage(page);
  await own.redis.restart();
  await eventually('the console has reconnected', 30_000, async () => {
    const { body } = await own.call('GET', '/admin/v1/tenants/outage');
    return body.ledger_available === true;
  });
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('No sessions yet').waitFor();
  await own.stop();
});
