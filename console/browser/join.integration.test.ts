import { renameSync } from 'node:fs';
import { checkPage, errorsOf, followIfShown, startBrowser, waitForFocus } from './testing/browser.ts';
import type { TestBrowser } from './testing/browser.ts';
import { startBrowserConsole } from './testing/console.ts';
import type { BrowserConsole } from './testing/console.ts';

let console_: BrowserConsole;
let browser: TestBrowser;

beforeAll(async () => {
  [console_, browser] = await Promise.all([startBrowserConsole(), startBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await console_.stop();
});

/** Sends an application for the waitlist. Returns the private link, and the page with the dialog that shows it. */
async function join(organisation: string) {
  const page = await browser.open(`${console_.pageUrl}/`);
  await page.getByLabel('Your name').fill('Achieng');
  await page.getByLabel('Email').fill('achieng@example.org');
  await page.getByLabel('Organisation').fill(organisation);
  await page.getByLabel('What do you want to build?').fill('Captions for radio');
  await page.getByRole('button', { name: 'Join waitlist' }).click();
  const link = await page.getByLabel('Your private link', { exact: true }).innerText();
  return { page, link };
}

test('a visitor joins the waitlist, saves the private link, is approved and signs in again with the link', async () => {
  const { page, link } = await join('Nam <b>Lolwe</b> FM');
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#nam-b-lolwe-b-fm-/);
  const dialog = page.getByRole('dialog', { name: 'Save your private link' });
  await waitForFocus(page, 'Copy: Your private link');
  // Neither Escape nor a click next to the dialog discards the link, and nothing behind the dialog can be clicked.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await expect(page.getByRole('button', { name: 'Sign out' }).click({ timeout: 500 })).rejects.toThrow('Timeout');
  expect(await dialog.isVisible()).toBe(true);
  await checkPage(page);
  await dialog.getByRole('button', { name: 'I have saved the link' }).click();
  await page.getByRole('heading', { level: 1, name: 'You are on the waitlist' }).waitFor();
  await waitForFocus(page, 'You are on the waitlist');
  await page.getByText('Captions for radio').waitFor();
  await checkPage(page);

  const name = /#(.*)\./.exec(link)?.[1] ?? '';
  await console_.call('POST', `/admin/v1/applications/${name}/approve`, { body: { audio_seconds: 120 } });
  // The page shows the decision without a reload.
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.getByText('2 min', { exact: true }).first().waitFor();
  // The organisation's markup is shown as text.
  await page.getByText('Nam <b>Lolwe</b> FM').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You have signed out.').waitFor();
  await checkPage(page);

  await page.getByLabel('Private link').fill(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  expect(errorsOf(page)).toEqual([]);
});

test('an applicant who is declined sees the reason of the administrator', async () => {
  const { page, link } = await join('Declined');
  await page.getByRole('button', { name: 'I have saved the link' }).click();
  const name = /#(.*)\./.exec(link)?.[1] ?? '';
  console_.decline(name, 'We support radio stations only.');
  await page.getByRole('heading', { level: 1, name: 'Your application was declined' }).waitFor();
  await page.getByText('We support radio stations only.').waitFor();
  await checkPage(page);
});

test('a suspended developer sees on the overview, keys and account pages that the account is suspended', async () => {
  const page = await browser.signIn(await console_.createTenant('suspended', { state: 'Suspended' }));
  for (const path of ['/', '/keys', '/account']) {
    await page.goto(`${console_.pageUrl}${path}`);
    await page.getByText('Your account is suspended').waitFor();
    await checkPage(page);
  }
});

test('an invalid private link shows an error and the sign-in form', async () => {
  const page = await browser.open(`${console_.pageUrl}/#acme.${'x'.repeat(32)}`);
  await page.getByText('This link no longer works.').waitFor();
  expect(page.url()).toBe(`${console_.pageUrl}/`);
  await checkPage(page);
  await page.getByLabel('Private link').fill(`${console_.pageUrl}/#`);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('Paste your private link.').waitFor();
  await page.getByLabel('Private link').fill(`${console_.pageUrl}/#invite=m0.x`);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('This is an invitation.').waitFor();
  await checkPage(page);
});

test('the page asks for confirmation before the private link of another tenant switches the account', async () => {
  const first = await console_.createTenant('first');
  const second = await console_.createTenant('second');
  const page = await browser.signIn(first);
  await page.goto('about:blank');
  await page.goto(second);
  const dialog = page.getByRole('dialog', { name: 'Switch to another account?' });
  await dialog.waitFor();
  await checkPage(page);
  await dialog.getByRole('button', { name: 'Stay with first' }).click();
  await page.locator('.identity-name', { hasText: 'first' }).waitFor();
  await page.goto('about:blank');
  await page.goto(second);
  await dialog.getByRole('button', { name: 'Switch account' }).click();
  await page.locator('.identity-name', { hasText: 'second' }).waitFor();
});

test('a session that was revoked elsewhere leads to the sign-in page with an explanation', async () => {
  const link = await console_.createTenant('revoked');
  const page = await browser.signIn(link);
  await console_.call('POST', '/admin/v1/tenants/revoked/link');
  await followIfShown(page, '/keys');
  await page.getByText('You were signed out.').waitFor();
});

test('a developer who renews the private link gets a new link, and is signed out after revoking that link', async () => {
  const page = await browser.signIn(await console_.createTenant('links'));
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByText('Your private link expires on').waitFor();
  await page.getByRole('button', { name: 'Renew link' }).click();
  await checkPage(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Renew link' }).click();
  const renewed = await page.getByLabel('Your private link', { exact: true }).innerText();
  await page.getByRole('button', { name: 'I have saved the link' }).click();
  await page.goto('about:blank');
  await page.goto(renewed);
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Revoke link' }).click();
  await checkPage(page);
  await page.getByRole('button', { name: 'Revoke and sign out everywhere' }).click();
  await page.getByText('The private link is revoked').waitFor();
  await page.goto('about:blank');
  await page.goto(renewed);
  await page.getByText('This link no longer works.').waitFor();
});

test('the page of an account that is defined in a read-only file offers neither a new link nor a request for credit', async () => {
  const link = await console_.createTenant('fixed', { grants: [] });
  renameSync(`${console_.folder}/tenant-fixed.yaml`, `${console_.readFolder}/tenant-fixed.yaml`);
  const page = await browser.signIn(link);
  await page.getByText('A file defines this account. Add credit there.').waitFor();
  expect(await page.getByRole('button', { name: 'Ask for credit' }).count()).toBe(0);
  await checkPage(page);
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByText('A file defines this account, so its private link').waitFor();
  expect(await page.getByRole('button', { name: 'Renew link' }).count()).toBe(0);
  await checkPage(page);
});
