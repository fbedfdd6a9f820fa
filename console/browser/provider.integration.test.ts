import { freePort } from '../../test/support/ports.ts';
import { startOpenidProvider } from '../src/testing/openid-provider.ts';
import { checkPage, errorsOf, startBrowser } from './testing/browser.ts';
import type { Page, TestBrowser } from './testing/browser.ts';
import { startBrowserConsole } from './testing/console.ts';
import type { BrowserConsole } from './testing/console.ts';

let console_: BrowserConsole;
let browser: TestBrowser;

beforeAll(async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const provider = await startOpenidProvider([`${url}/console/v1/sign-in/callback`]);
  provider.users.set('grace', { name: 'Grace', email: 'grace@example.org' });
  const env = { ...provider.settings(url), CONSOLE_PORT: String(port) };
  [console_, browser] = await Promise.all([startBrowserConsole(env), startBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await console_.stop();
});

/** Follows the sign-in link of the open page, and signs in at the provider as `grace`. */
async function signInAtProvider(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Sign in with your account' }).click();
  await page.getByLabel('Subject').fill('grace');
  await page.getByRole('button', { name: 'Continue' }).click();
}

test('a user of an identity provider joins the waitlist without a private link, is approved, and signs out everywhere', async () => {
  const page = await browser.open(`${console_.pageUrl}/`);
  await page.getByRole('link', { name: 'Sign in with your account' }).waitFor();
  await checkPage(page);
  await signInAtProvider(page);
  await page.getByText('you are not a member of any account').waitFor();
  await checkPage(page);
  await page.getByLabel('Your name').fill('Grace');
  await page.getByLabel('Email').fill('grace@example.org');
  await page.getByLabel('What do you want to build?').fill('Captions');
  await page.getByRole('button', { name: 'Join waitlist' }).click();
  await page.getByRole('heading', { level: 1, name: 'You are on the waitlist' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);

  const { body } = await console_.call('GET', '/admin/v1/applications');
  await console_.call('POST', `/admin/v1/applications/${String(body.data[0].name)}/approve`, { body: {} });
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByText('Grace · grace@example.org').waitFor();
  await checkPage(page);
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByText('You have signed out.').waitFor();
  await page.reload();
  await page.getByRole('link', { name: 'Sign in with your account' }).waitFor();
  expect(errorsOf(page)).toEqual([]);
});
