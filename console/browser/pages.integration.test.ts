import { TOKEN } from '../src/testing/console.ts';
import { checkPage, errorsOf, startBrowser, waitForFocus, waitForTitle } from './testing/browser.ts';
import type { Page, TestBrowser } from './testing/browser.ts';
import { startBrowserConsole } from './testing/console.ts';
import type { BrowserConsole } from './testing/console.ts';

const NARROW = { width: 320, height: 640 };

let console_: BrowserConsole;
let browser: TestBrowser;

beforeAll(async () => {
  [console_, browser] = await Promise.all([startBrowserConsole(), startBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await console_.stop();
});

/** Returns by how many pixels the content of the open dialog is wider than the dialog. */
const dialogOverflow = (page: Page) =>
  page.evaluate('(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector("dialog"))');

async function signInAsAdministrator(path: string, options: { viewport?: typeof NARROW } = {}): Promise<Page> {
  const page = await browser.open(`${console_.adminUrl}${path}`, options);
  await page.getByLabel('Admin token').fill(TOKEN);
  await page.getByRole('button', { name: 'Sign in' }).click();
  return page;
}

/** Returns the position and the size of the first element that a selector finds. */
async function boxOf(page: Page, selector: string): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await page.locator(selector).first().boundingBox();
  if (box === null) throw new Error(`${selector} is not visible`);
  return box;
}

test('the team page of a console without an OpenID provider offers no invitation', async () => {
  const page = await browser.signIn(await console_.createTenant('alone'));
  await page.getByRole('link', { name: 'Team' }).click();
  await page.getByText('Members need a sign-in with OpenID Connect').waitFor();
  expect(await page.getByRole('button', { name: 'Invite member' }).count()).toBe(0);
});

test('every page of a new tenant has one h1, follows the accessibility rules and fits a narrow screen', async () => {
  const page = await browser.signIn(await console_.createTenant('new'));
  for (const path of [
    '/',
    '/playground',
    '/keys',
    '/usage',
    '/sessions',
    '/quick-start',
    '/team',
    '/account',
    '/nothing',
  ]) {
    await page.goto(`${console_.pageUrl}${path}`);
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await checkPage(page);
  }
  // No file is missing, the icon of the page included, and no code violates the content security policy.
  expect(errorsOf(page)).toEqual([]);
});

test('a name that is one long word fits the pages and their dialogs, and leaves room for the navigation', async () => {
  const displayName = 'W'.repeat(200);
  const link = await console_.createTenant('long', { displayName });
  const page = await browser.signIn(link, { viewport: { width: 1280, height: 700 } });
  await checkPage(page);
  expect((await page.getByRole('link', { name: 'Overview' }).boundingBox())?.y).toBeLessThan(350);
  await page.goto(`${console_.pageUrl}/#other.${'x'.repeat(32)}`);
  await page.getByRole('dialog').waitFor();
  await checkPage(page);
  expect(await dialogOverflow(page)).toBe(0);

  const admin = await signInAsAdministrator('/tenants/long?tab=access');
  await admin.getByRole('button', { name: 'Suspend tenant' }).waitFor();
  // The buttons below the navigation show their whole text.
  const cut = '[...document.querySelectorAll(".side-foot span")].filter((e) => e.scrollWidth > e.clientWidth).length';
  expect(await admin.evaluate(cut)).toBe(0);
  await admin.getByRole('button', { name: 'Suspend tenant' }).click();
  await checkPage(admin);
  await admin.setViewportSize(NARROW);
  expect(await dialogOverflow(admin)).toBe(0);
  expect((await boxOf(admin, 'dialog h2')).height).toBeLessThan(150);
  expect(await admin.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
});

test('on a narrow screen, a notice has its text next to its icon, the product name fits one line, and the search overlaps nothing', async () => {
  const options = { viewport: NARROW };
  const page = await browser.signIn(await console_.createTenant('narrow', { grants: [] }), options);
  await page.getByText('You have no credit left').first().waitFor();
  const [icon, text] = [await boxOf(page, '.notice > .icon'), await boxOf(page, '.notice-text')];
  expect(text.x).toBeGreaterThanOrEqual(icon.x + icon.width);
  expect(text.y).toBeLessThan(icon.y + icon.height);
  // The icon of the product is 28 pixels high. If the product name had two lines, the element would be higher than 40
  // pixels.
  expect((await boxOf(page, '.brand')).height).toBeLessThan(40);

  const admin = await signInAsAdministrator('/tenants', options);
  await admin.getByRole('link', { name: 'narrow' }).waitFor();
  const [button, card] = [await boxOf(admin, '.search .button'), await boxOf(admin, '.card')];
  expect(card.y).toBeGreaterThanOrEqual(button.y + button.height + 8);
});

test('the console page links to an SVG icon, which the console serves', async () => {
  const page = await browser.open(`${console_.pageUrl}/`);
  const icon = await page.locator('link[rel=icon]').getAttribute('href');
  const { status, headers } = await fetch(`${console_.pageUrl}${icon ?? ''}`);
  expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
});

test('the menu of a phone opens and closes with the keyboard, and closes after a choice', async () => {
  const page = await browser.signIn(await console_.createTenant('menu'), { viewport: { width: 390, height: 700 } });
  const menu = (expanded: boolean) => page.getByRole('button', { name: 'Menu', expanded });
  // After the page is first drawn, it closes the menu and moves the focus.
  await waitForFocus(page, 'Overview');
  expect(await page.getByRole('link', { name: 'API keys' }).isVisible()).toBe(false);
  await menu(false).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'API keys' }).waitFor();
  await checkPage(page);
  await page.keyboard.press('Escape');
  await menu(false).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
  await menu(false).waitFor();
});

test('navigation to another page moves the focus to the heading of that page and changes the document title', async () => {
  const page = await browser.signIn(await console_.createTenant('focus'));
  await page.getByRole('link', { name: 'Usage' }).click();
  await waitForFocus(page, 'Usage');
  await waitForTitle(page, 'Usage · svc-asr console');
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await waitForTitle(page, 'Overview · svc-asr console');
});

test('while the console cannot be reached, the page shows an error with a button that loads the data after the connection is restored', async () => {
  const page = await browser.signIn(await console_.createTenant('offline'));
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('alert').filter({ hasText: 'Cannot reach the console' }).waitFor();
  await checkPage(page);
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('No API keys yet').waitFor();
});
