import { checkPage, errorsOf, startBrowser, waitForFocus } from './testing/browser.ts';
import type { Page, TestBrowser } from './testing/browser.ts';
import { startBrowserConsole } from './testing/console.ts';
import type { BrowserConsole } from './testing/console.ts';

const PHONE = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };
let console_: BrowserConsole;
let browser: TestBrowser;

beforeAll(async () => {
  [console_, browser] = await Promise.all([startBrowserConsole(), startBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await console_.stop();
});

/**
 * Creates a key in the dialog of the keys page. Waits until the button that copies the key has the focus, and returns
 * the key.
 */
async function createKey(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Create key' }).first().click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  // The key is in the document before its dialog is visible.
  await waitForFocus(page, 'Copy: Your new API key');
  return page.getByLabel('Your new API key', { exact: true }).innerText();
}

/** Returns the row or card of a key. */
const rowOf = (page: Page, lastFour: string) => page.getByRole('row').filter({ hasText: `…${lastFour}` });

test('a developer creates, rotates and revokes keys, and the rotate and revoke dialogs show the last four characters of the key', async () => {
  const page = await browser.signIn(await console_.createTenant('keys'));
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByText('No API keys yet').waitFor();
  await checkPage(page);
  const key = await createKey(page, 'production');
  const lastFour = key.slice(-4);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Save your new key "production"' }).waitFor();
  await checkPage(page);
  await page.getByRole('button', { name: 'I have saved the key' }).click();
  await rowOf(page, lastFour).waitFor();
  await page.reload();
  await rowOf(page, lastFour).waitFor();
  expect(await page.content()).not.toContain(key);
  await checkPage(page);

  await page.getByRole('button', { name: `Rotate key production (…${lastFour})` }).click();
  await page.getByRole('dialog', { name: `Rotate key production (…${lastFour})` }).waitFor();
  await checkPage(page);
  await page.getByRole('button', { name: 'Rotate key', exact: true }).click();
  const rotated = await page.getByLabel('Your new API key', { exact: true }).innerText();
  await page.getByText(`The old key production (…${lastFour}) works until`).waitFor();
  await page.getByRole('button', { name: 'I have saved the key' }).click();
  // Two keys have the same name. Each row names the other key.
  const next = rotated.slice(-4);
  await page.getByText(`Replaces …${lastFour}`).waitFor();
  await page.getByText(`Replaced by …${next}`).waitFor();
  await checkPage(page);

  await page.getByRole('button', { name: `Revoke key production (…${lastFour})` }).click();
  await page.getByRole('dialog', { name: `Revoke key production (…${lastFour})?` }).waitFor();
  await checkPage(page);
  await page.getByRole('button', { name: 'Revoke key', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const { body } = await console_.call('GET', '/admin/v1/keys?tenant=keys');
  expect(body.data).toMatchObject([{ name: 'production', last_four: next }]);
  expect(errorsOf(page)).toEqual([]);
});

test('a new key appears in view on a phone, with the focus on the button that copies it', async () => {
  const page = await browser.signIn(await console_.createTenant('phone'), PHONE);
  await page.goto(`${console_.pageUrl}/keys`);
  for (const name of ['one', 'two', 'three', 'four']) {
    await createKey(page, name);
    const output = page.getByLabel('Your new API key', { exact: true });
    const box = await output.boundingBox();
    expect(box).not.toBeNull();
    expect([box!.y >= 0, box!.y + box!.height <= 700, box!.x >= 0, box!.x + box!.width <= 390]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    await page.getByRole('button', { name: 'I have saved the key' }).click();
  }
  await checkPage(page);
});

test('a new key remains visible after the user goes back to the previous page, and after a sign-out in another tab', async () => {
  const page = await browser.signIn(await console_.createTenant('kept'));
  await page.getByRole('link', { name: 'API keys' }).click();
  const key = await createKey(page, 'kept');
  await page.goBack();
  await page.locator('h1', { hasText: 'Overview' }).waitFor();
  expect(await page.getByLabel('Your new API key', { exact: true }).innerText()).toBe(key);
  // This request stands for a sign-out in another tab, which shares its cookie with this tab.
  const headers = { 'x-svc-asr-console': '1' };
  const signedOut = await page.context().request.delete(`${console_.pageUrl}/console/v1/sign-in`, { headers });
  expect(signedOut.status()).toBe(200);
  await page.locator('h1', { hasText: 'Streaming speech recognition' }).waitFor();
  expect(await page.getByLabel('Your new API key', { exact: true }).innerText()).toBe(key);
  await checkPage(page);
  await page.getByRole('button', { name: 'I have saved the key' }).click();
  await page.getByText('You were signed out.').waitFor();
  expect(await page.content()).not.toContain(key);
  expect(errorsOf(page)).toEqual([]);
});

test('the copy button of a new key copies the key to the clipboard', async () => {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const page = await browser.signIn(await console_.createTenant('copied'), { permissions });
  await page.goto(`${console_.pageUrl}/keys`);
  const key = await createKey(page, 'copied');
  await page.keyboard.press('Enter');
  await page.getByText('Copied').first().waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
});

test('a key is created with the keyboard alone, and the focus returns to the button after a cancelled dialog', async () => {
  const page = await browser.signIn(await console_.createTenant('keyboard'));
  await page.goto(`${console_.pageUrl}/keys`);
  // The page moves the focus to its title after it has rendered.
  await waitForFocus(page, 'API keys');
  await page.getByRole('button', { name: 'Create key' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Create API key' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await waitForFocus(page, 'Create key');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Create API key' }).waitFor();
  await page.keyboard.type('typed');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Save your new key "typed"' }).waitFor();
  await waitForFocus(page, 'Copy: Your new API key');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('row').filter({ hasText: 'typed' }).waitFor();
});

test('if the response to the creation of a key is lost, the dialog explains this and the list shows the key', async () => {
  const page = await browser.signIn(await console_.createTenant('lost'));
  await page.goto(`${console_.pageUrl}/keys`);
  await page.getByText('No API keys yet').waitFor();
  await page.route('**/console/v1/keys', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    await route.fetch();
    return route.abort();
  });
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name').fill('unseen');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('alert').filter({ hasText: 'The key may exist already.' }).waitFor();
  await checkPage(page);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('row').filter({ hasText: 'unseen' }).waitFor();
});

test('while Redis is unavailable, the last use of a key is shown as unknown', async () => {
  const own = await startBrowserConsole({ KEY_ACTIVATION_TIMEOUT_MS: '0' }, { operator: false });
  const page = await browser.signIn(await own.createTenant('outage'));
  await page.getByRole('link', { name: 'API keys' }).click();
  await createKey(page, 'used');
  await page.getByText('The key does not work yet.').waitFor();
  await page.getByRole('button', { name: 'I have saved the key' }).click();
  await own.redis.kill();
  await page.reload();
  await page.getByText('Unknown at the moment').waitFor();
  await checkPage(page);
  await own.stop();
});

test('if the account already has MAX_KEYS keys, the dialog explains the limit and keeps the entered name', async () => {
  const limited = await startBrowserConsole({ MAX_KEYS: '1' });
  const page = await browser.signIn(await limited.createTenant('limited'));
  await page.goto(`${limited.pageUrl}/keys`);
  await createKey(page, 'first');
  await page.getByRole('button', { name: 'I have saved the key' }).click();
  await page.getByRole('button', { name: 'Create key' }).first().click();
  await page.getByLabel('Name').fill('second');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('alert').filter({ hasText: 'maximum number of keys' }).waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('second');
  await checkPage(page);
  await limited.stop();
});
